'use client';

import { Plus, Trash2 } from 'lucide-react';
import { useFieldArray, useWatch } from 'react-hook-form';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { ChoiceField, SelectField, TextField } from '@/components/kit/form/fields';
import { Button } from '@/components/kit/ui/button';
import type { Option } from '@/components/kit/ui/option';
import { type Row, useList } from '@/lib/client/list';
import { MOST_MEMBERS } from '@/lib/domains/loadbalancing/limits';
import { ListenerCards } from './listener-cards';
import type { LoadBalancerForm } from './load-balancer-form';
import { ADDRESS, type MemberValues, memberPort, newMember } from './load-balancer-values';

type Instance = Row<'/api/v1/compute/instances'>;

/** The servers of each pool: instances or addresses of the network. */
export function MembersStep({ form }: { form: LoadBalancerForm }) {
  const network_id = useWatch({ control: form.control, name: 'network_id' });
  const instances = useList('/api/v1/compute/instances', { network_id, limit: 200, sort: 'name' }).data?.rows ?? [];
  return (
    <>
      <p className="text-pretty text-ink-muted text-sm">
        Instances or addresses of the network. New connections are distributed in proportion to the weights; weight 0
        drains a member.
      </p>
      <ListenerCards form={form}>
        {(position, listener) => (
          <MemberFields
            form={form}
            position={position}
            port={memberPort(listener)}
            instances={instances}
            network_id={network_id}
          />
        )}
      </ListenerCards>
    </>
  );
}

interface MemberFieldsProps {
  form: LoadBalancerForm;
  /** Of the listener. */
  position: number;
  /** Of the first new member. */
  port: string;
  instances: readonly Instance[];
  network_id: string;
}

function MemberFields({ form, position, port, instances, network_id }: MemberFieldsProps) {
  const { control } = form;
  const name = `listeners.${position}.pool.members` as const;
  const { fields, append, remove } = useFieldArray({ control, name });
  // A copy: the form changes its values in place, and an equal value is not rendered again.
  const members = useWatch({ control, name, compute: (all: MemberValues[]) => structuredClone(all) });
  const next = () => newMember(members.at(-1)?.port ?? port);
  const free = MOST_MEMBERS - fields.length;
  const unused = instances.filter(({ id }) => members.every(({ target }) => target !== id));
  return (
    <>
      {fields.length === 0 && <p className="text-ink-muted text-sm">No members yet. They can also be added later.</p>}
      {fields.map(({ id }, place) => {
        const member = members[place];
        if (!member) return null;
        return (
          <fieldset key={id} className="space-y-3 border-b pb-5">
            <legend className="sr-only">Member {place + 1}</legend>
            <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-start gap-3 sm:grid-cols-[minmax(0,1fr)_6rem_6rem_auto]">
              <div className="space-y-3 max-sm:col-span-3">
                <SelectField
                  control={control}
                  name={`${name}.${place}.target`}
                  label="Member"
                  placeholder="Choose an instance…"
                  options={targets(instances, member, network_id)}
                />
                {member.target === ADDRESS && (
                  <TextField
                    control={control}
                    name={`${name}.${place}.address`}
                    label="IP address"
                    placeholder="10.0.0.20"
                    autoComplete="off"
                    mono
                  />
                )}
              </div>
              <TextField control={control} name={`${name}.${place}.port`} label="Port" inputMode="numeric" />
              <TextField control={control} name={`${name}.${place}.weight`} label="Weight" inputMode="numeric" />
              <Button
                variant="quiet"
                size="icon"
                className="mt-6.5"
                aria-label={`Remove member ${place + 1}`}
                onClick={() => remove(place)}
              >
                <Trash2 />
              </Button>
            </div>
            <ChoiceField
              control={control}
              name={`${name}.${place}.backup`}
              label="Backup"
              description="Used only while all other members are down."
            />
          </fieldset>
        );
      })}
      <div className="flex flex-wrap gap-2">
        <DisabledReason reason={free > 0 ? undefined : `A pool has up to ${MOST_MEMBERS} members.`}>
          <Button onClick={() => append(next())}>
            <Plus /> Add member
          </Button>
        </DisabledReason>
        {unused.length > 1 && (
          <DisabledReason
            reason={unused.length <= free ? undefined : `A pool has up to ${MOST_MEMBERS} members; ${free} are left.`}
          >
            <Button variant="quiet" onClick={() => append(unused.map(({ id }) => ({ ...next(), target: id })))}>
              Add all {unused.length} instances
            </Button>
          </DisabledReason>
        )}
      </div>
    </>
  );
}

/** The instances of the network, an address, and the member's own instance if it is not among them. */
function targets(instances: readonly Instance[], { target, name }: MemberValues, network_id: string): Option[] {
  const own = target !== '' && target !== ADDRESS && instances.every(({ id }) => id !== target);
  return [
    ...instances.map(({ id, name: label, addresses }) => ({
      value: id,
      label,
      description: addresses.find((address) => address.network_id === network_id)?.ip ?? '',
    })),
    ...(own ? [{ value: target, label: name }] : []),
    { value: ADDRESS, label: 'IP address', description: 'Any address of the network' },
  ];
}
