'use client';

import { ArrowDownToLine, ArrowUpFromLine, TriangleAlert, X } from 'lucide-react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Badge } from '@/components/kit/ui/badge';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { notify } from '@/components/kit/ui/notify';
import { ApiError } from '@/lib/client/errors';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import { exposedBy, type Rule, type SecurityGroup, sayRule } from './rules';

interface RuleListProps {
  group: SecurityGroup;
  direction: Rule['direction'];
  networks: ReadonlyMap<string, string>;
}

/** The rules of one direction, each as a sentence. */
export function RuleList({ group, direction, networks }: RuleListProps) {
  const rules = group.rules.filter((rule) => rule.direction === direction);
  const ingress = direction === 'ingress';
  const Icon = ingress ? ArrowDownToLine : ArrowUpFromLine;
  const title = ingress ? 'Inbound rules' : 'Outbound rules';
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <Icon className="size-4 text-ink-subtle" aria-hidden="true" />
          {title}
        </span>
      }
      description={ingress ? 'Traffic to the instances.' : 'Traffic from the instances.'}
      actions={<Badge>{formatCount(rules.length, 'rule')}</Badge>}
      flush
    >
      {rules.length === 0 ? (
        <p className="px-4 py-5 text-ink-muted text-sm">
          {ingress
            ? 'No rules. All inbound traffic is dropped.'
            : 'No rules. Only replies to allowed inbound traffic are sent.'}
        </p>
      ) : (
        <ul aria-label={title} className="divide-y">
          {rules.map((rule) => (
            <RuleLine key={rule.id} rule={rule} networks={networks} />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** The ID of a rule's row in the page: the editor focuses a row that it added. */
export function ruleElement(id: string): string {
  return `rule-${id}`;
}

function RuleLine({ rule, networks }: { rule: Rule; networks: ReadonlyMap<string, string> }) {
  const { api } = useProject();
  const may = useMay('deleteSecurityGroupRule');
  const remove = api.useMutation('delete', '/api/v1/network/security-groups/rules/{rule_id}');
  const sentence = sayRule(rule, networks);
  const exposed = exposedBy(rule);
  return (
    <li
      id={ruleElement(rule.id)}
      tabIndex={-1}
      className="flex animate-in items-center gap-3 py-2 pr-2 pl-4 fade-in-0 duration-300 hover:bg-hover"
    >
      <div className="min-w-0 flex-1">
        <p className="break-words font-medium text-sm">{sentence}</p>
        <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 font-mono text-ink-muted text-xs">
          <span>{rule.protocol === 'any' ? 'all protocols' : rule.protocol}</span>
          <span className="empty:hidden">{portsText(rule)}</span>
          <span>{rule.cidr}</span>
          {exposed.length > 0 && (
            <Badge tone="caution" className="font-sans">
              <TriangleAlert aria-hidden="true" /> Open to the internet
            </Badge>
          )}
        </p>
      </div>
      <DisabledReason reason={may.reason}>
        <Button
          variant="quiet"
          size="icon-sm"
          aria-label={`Remove rule: ${sentence}`}
          pending={remove.isPending}
          onClick={() =>
            remove.mutate(
              { params: { path: { rule_id: rule.id } } },
              {
                onError: (error) =>
                  void notify('error', 'The rule could not be removed', {
                    description: error instanceof ApiError ? error.message : '',
                  }),
              },
            )
          }
        >
          <X />
        </Button>
      </DisabledReason>
    </li>
  );
}

function portsText({ protocol, port_range_min: first, port_range_max: last }: Rule): string {
  if (protocol !== 'tcp' && protocol !== 'udp') return '';
  if (first === null) return 'all ports';
  return last === null || last === first ? `port ${first}` : `ports ${first}-${last}`;
}
