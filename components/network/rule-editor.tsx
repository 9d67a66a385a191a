'use client';

import { clsx } from 'clsx';
import { ArrowRight, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { SelectField, TextField } from '@/components/kit/form/fields';
import { useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import type { Option } from '@/components/kit/ui/option';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { rangeProblem } from './cidr';
import { useOwnAddress } from './own-address';
import { ruleElement } from './rule-list';
import {
  ANYWHERE,
  exposedBy,
  listed,
  presets,
  type RuleFacts,
  readPorts,
  type SecurityGroup,
  sameRule,
  sayRule,
  widerRule,
} from './rules';

/** The side is a range that is written by hand. */
const WRITTEN = 'written';

const schema = z
  .object({
    direction: z.enum(['ingress', 'egress']),
    protocol: z.enum(['tcp', 'udp', 'icmp', 'any']),
    ports: z
      .string()
      .check(z.refine((text) => readPorts(text) !== undefined, 'Enter a port, or a range such as 8000-8100.')),
    side: z.string(),
    cidr: z.string().check(z.trim()),
  })
  .check(
    z.check(({ value, issues }) => {
      const problem = value.side === WRITTEN ? rangeProblem(value.cidr) : undefined;
      if (problem) issues.push({ code: 'custom', input: value, path: ['cidr'], message: problem });
    }),
  );
type Values = z.output<typeof schema>;

const first: Values = { direction: 'ingress', protocol: 'tcp', ports: '22', side: ANYWHERE, cidr: '' };

/** What the form says now, as a rule; undefined while a part of it can't be read. */
function ruleOf({ direction, protocol, ports, side, cidr }: Values): RuleFacts | undefined {
  const hasPorts = protocol === 'tcp' || protocol === 'udp';
  const range = readPorts(hasPorts ? ports : '');
  const written = cidr.trim();
  if (!range || (side === WRITTEN && rangeProblem(written) !== undefined)) return undefined;
  return {
    direction,
    protocol,
    ...range,
    cidr: side !== WRITTEN ? side : written.includes('/') ? written : `${written}/32`,
  };
}

interface RuleEditorProps {
  group: SecurityGroup;
  /** Names of the project's networks by their ranges. */
  networks: ReadonlyMap<string, string>;
}

/** Adds a rule to a group: from a preset or by hand, said in words before it is in force. */
export function RuleEditor({ group, networks }: RuleEditorProps) {
  const { api } = useProject();
  const may = useMay('createSecurityGroupRule');
  const own = useOwnAddress();
  const add = api.useMutation('post', '/api/v1/network/security-groups/{id}/rules');
  const form = useSchemaForm(schema, first);
  const values: Values = { ...first, ...useWatch({ control: form.control }) };
  const rule = ruleOf(values);
  const same = rule && sameRule(rule, group.rules);
  const wider = rule && widerRule(rule, group.rules);
  const hasPorts = values.protocol === 'tcp' || values.protocol === 'udp';
  const ingress = values.direction === 'ingress';

  const [added, setAdded] = useState<string>();
  const addedIsListed = group.rules.some(({ id }) => id === added);
  useEffect(() => {
    if (added !== undefined && addedIsListed) document.getElementById(ruleElement(added))?.focus();
  }, [added, addedIsListed]);

  const take = (preset: (typeof presets)[number]) => {
    add.reset();
    form.clearErrors();
    form.setValue('direction', preset.direction);
    form.setValue('protocol', preset.protocol);
    form.setValue('ports', preset.ports);
  };
  const chosen = presets.find(
    ({ direction, protocol, ports }) =>
      direction === values.direction && protocol === values.protocol && (!hasPorts || ports === values.ports.trim()),
  );

  return (
    <Card title="Add rule" description="Takes effect immediately on all ports with this group.">
      <form
        noValidate
        aria-label="Add rule"
        className="space-y-4"
        onSubmit={form.handleSubmit(async (checked) => {
          const next = ruleOf(checked);
          if (!next) return;
          const { port_range_min, port_range_max, ...rest } = next;
          const created = await add
            .mutateAsync({
              params: { path: { id: group.id } },
              body: {
                ...rest,
                ...(port_range_min === null ? {} : { port_range_min }),
                ...(port_range_max === null ? {} : { port_range_max }),
              },
            })
            .catch(() => undefined);
          setAdded(created?.id);
        })}
      >
        <fieldset>
          <legend className="mb-1.5 font-medium text-sm">Preset</legend>
          <div className="flex flex-wrap gap-1.5">
            {presets.map((preset) => (
              <button
                key={preset.value}
                type="button"
                aria-pressed={chosen === preset}
                onClick={() => take(preset)}
                className={clsx(
                  'h-7 rounded-full border px-2.5 text-xs transition-colors duration-100 pointer-coarse:h-10 pointer-coarse:px-3.5',
                  chosen === preset
                    ? 'border-accent bg-accent-soft font-medium text-accent'
                    : 'text-ink-muted hover:border-line-strong hover:text-ink',
                )}
              >
                {preset.label}
              </button>
            ))}
          </div>
        </fieldset>
        <div className="grid grid-cols-2 gap-3">
          <SelectField
            control={form.control}
            name="direction"
            label="Direction"
            options={[
              { value: 'ingress', label: 'Inbound', description: 'To the instance' },
              { value: 'egress', label: 'Outbound', description: 'From the instance' },
            ]}
          />
          <SelectField
            control={form.control}
            name="protocol"
            label="Protocol"
            options={[
              { value: 'tcp', label: 'TCP' },
              { value: 'udp', label: 'UDP' },
              { value: 'icmp', label: 'ICMP', description: 'Ping and diagnostics' },
              { value: 'any', label: 'Any' },
            ]}
          />
        </div>
        {hasPorts && (
          <TextField
            control={form.control}
            name="ports"
            label="Ports"
            description="A port or a range such as 8000-8100. Leave empty for all ports."
            mono
            autoComplete="off"
          />
        )}
        <SelectField
          control={form.control}
          name="side"
          label={ingress ? 'Source' : 'Destination'}
          options={sides(ingress, own, networks)}
        />
        {values.side === WRITTEN && (
          <TextField
            control={form.control}
            name="cidr"
            label="IP range"
            placeholder="203.0.113.0/24"
            mono
            autoComplete="off"
          />
        )}
        {rule && <Reading rule={rule} same={same} wider={wider} networks={networks} />}
        {add.error !== null && <ErrorNotice title="The rule could not be added" error={add.error} />}
        <div>
          <DisabledReason reason={may.reason ?? (same ? 'This rule already exists.' : undefined)}>
            <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
              Add rule
            </Button>
          </DisabledReason>
        </div>
      </form>
    </Card>
  );
}

/** Who may stand on the other side of a rule. */
function sides(
  ingress: boolean,
  own: ReturnType<typeof useOwnAddress>,
  networks: ReadonlyMap<string, string>,
): Option[] {
  return [
    { value: ANYWHERE, label: ingress ? 'Anywhere' : 'Anywhere', description: ANYWHERE },
    'cidr' in own
      ? { value: own.cidr, label: 'My address', description: own.cidr }
      : { value: 'own', label: 'My address', disabledReason: own.reason },
    ...[...networks].map(([cidr, name]) => ({ value: cidr, label: `Network ${name}`, description: cidr })),
    { value: WRITTEN, label: 'Custom', description: 'An IP address or CIDR' },
  ];
}

interface ReadingProps extends Pick<RuleEditorProps, 'networks'> {
  rule: RuleFacts;
  same: RuleFacts | undefined;
  wider: RuleFacts | undefined;
}

/** What the rule will do, before it does it. */
function Reading({ rule, same, wider, networks }: ReadingProps) {
  const exposed = same ? [] : exposedBy(rule);
  return (
    <div aria-live="polite" className="space-y-2">
      <p className="flex gap-2 rounded-md border border-dashed bg-sunken px-3 py-2 text-sm">
        <ArrowRight className="mt-0.5 size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
        <span>
          <span className="font-medium">{sayRule(rule, networks)}</span>
          {same ? (
            <span className="block text-ink-muted text-xs">This rule already exists.</span>
          ) : (
            wider && (
              <span className="block text-ink-muted text-xs">Already covered by “{sayRule(wider, networks)}”.</span>
            )
          )}
        </span>
      </p>
      {exposed.length > 0 && (
        <p className="flex gap-2 rounded-md bg-caution-soft px-3 py-2 text-caution-ink text-sm">
          <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
          <span>
            {listed(exposed)} will be open to the internet and attacked within minutes. Restrict the source to your
            address or a range if you can.
          </span>
        </p>
      )}
    </div>
  );
}
