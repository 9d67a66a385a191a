'use client';

import { Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useFieldArray, useWatch } from 'react-hook-form';
import { SecurityGroupsField } from '@/components/compute/security-groups-field';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { CardsField, ChoiceField, SelectField, TextField } from '@/components/kit/form/fields';
import { Button } from '@/components/kit/ui/button';
import type { Option } from '@/components/kit/ui/option';
import type { Row } from '@/lib/client/list';
import { MOST_LISTENERS } from '@/lib/domains/loadbalancing/limits';
import { CertificatesField } from './certificates-field';
import { ListenerCards } from './listener-cards';
import type { LoadBalancerForm } from './load-balancer-form';
import { type ListenerValues, newListener, portFor } from './load-balancer-values';

/** Choices for settings that cannot be changed later. */
export interface NewLoadBalancerChoices {
  networks: readonly Row<'/api/v1/network/networks'>[];
  groups: readonly Row<'/api/v1/network/security-groups'>[];
}

const protocols: readonly Option[] = [
  { value: 'HTTP', label: 'HTTP', description: 'Requests and WebSockets' },
  { value: 'HTTPS', label: 'HTTPS', description: 'HTTP and HTTP/2, with TLS terminated here' },
  { value: 'TCP', label: 'TCP', description: 'Connections of any protocol' },
];

/** The name of the load balancer, its network, and the ports that it listens on. */
export function ListenersStep({
  form,
  choices,
}: {
  form: LoadBalancerForm;
  choices: NewLoadBalancerChoices | undefined;
}) {
  const { control } = form;
  const { append, remove, fields } = useFieldArray({ control, name: 'listeners' });
  const tooMany = fields.length < MOST_LISTENERS ? undefined : `A load balancer has up to ${MOST_LISTENERS} listeners.`;
  return (
    <>
      <TextField
        control={control}
        name="name"
        label="Name"
        description="3 to 63 lowercase letters, digits and dashes."
        placeholder="shop"
        autoComplete="off"
        autoFocus={choices !== undefined}
      />
      {choices && <OnceFields form={form} choices={choices} />}
      <ListenerCards
        form={form}
        actions={(position, { name }) => (
          <Button
            size="sm"
            variant="quiet"
            aria-label={`Remove listener ${name}`}
            disabled={fields.length === 1}
            onClick={() => remove(position)}
          >
            <Trash2 /> Remove
          </Button>
        )}
      >
        {(position, listener) => <ListenerFields form={form} position={position} listener={listener} />}
      </ListenerCards>
      <DisabledReason reason={tooMany}>
        <Button onClick={() => append(newListener(form.getValues('listeners')))}>
          <Plus /> Add listener
        </Button>
      </DisabledReason>
      <TextField
        control={control}
        name="idle_timeout_s"
        label="Idle timeout"
        description="Connections without traffic are closed after this time."
        inputMode="numeric"
        unit="s"
        width="short"
      />
    </>
  );
}

function OnceFields({
  form,
  choices: { networks, groups },
}: {
  form: LoadBalancerForm;
  choices: NewLoadBalancerChoices;
}) {
  const { control } = form;
  const access = useWatch({ control, name: 'access' });
  return (
    <>
      <SelectField
        control={control}
        name="network_id"
        label="Network"
        description="The virtual IP, both nodes and all members are on this network."
        options={networks.map(({ id, name, cidr }) => ({ value: id, label: name, description: cidr }))}
      />
      <CardsField
        control={control}
        name="access"
        label="Access"
        options={[
          { value: 'open', label: 'Open', description: 'All clients that reach the virtual IP.' },
          { value: 'groups', label: 'Security groups', description: 'Only traffic that their rules allow.' },
        ]}
      />
      {access === 'groups' && <SecurityGroupsField control={control} name="security_group_ids" groups={groups} />}
    </>
  );
}

interface ListenerFieldsProps {
  form: LoadBalancerForm;
  position: number;
  listener: ListenerValues;
}

function ListenerFields({ form, position, listener: { protocol } }: ListenerFieldsProps) {
  const { control, getValues, setValue } = form;
  const former = useRef(protocol);
  useEffect(() => {
    if (former.current === protocol) return;
    former.current = protocol;
    const port = portFor(protocol, position, getValues('listeners'));
    if (port !== undefined) setValue(`listeners.${position}.port`, port, { shouldDirty: true, shouldValidate: true });
  }, [protocol, position, getValues, setValue]);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField control={control} name={`listeners.${position}.name`} label="Listener name" autoComplete="off" />
        <SelectField control={control} name={`listeners.${position}.protocol`} label="Protocol" options={protocols} />
        <TextField
          control={control}
          name={`listeners.${position}.port`}
          label="Port"
          inputMode="numeric"
          autoComplete="off"
        />
      </div>
      {protocol === 'HTTPS' && <CertificatesField form={form} position={position} />}
      {protocol === 'HTTP' && (
        <ChoiceField
          control={control}
          name={`listeners.${position}.redirect_to_https`}
          label="Redirect to HTTPS"
          description="Answers every request with a redirect to the same address with https://."
        />
      )}
      <TextField
        control={control}
        name={`listeners.${position}.allowed_cidrs`}
        label="Allowed clients"
        description="IP addresses and ranges, separated by commas. Leave empty for all."
        placeholder="203.0.113.0/24"
        autoComplete="off"
        optional
        mono
      />
    </>
  );
}
