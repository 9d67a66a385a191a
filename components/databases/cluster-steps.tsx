'use client';

import { useWatch } from 'react-hook-form';
import { SecurityGroupsField } from '@/components/compute/security-groups-field';
import { CardsField, SelectField, TextField } from '@/components/kit/form/fields';
import type { useSchemaForm } from '@/components/kit/form/form-shell';
import type { Row } from '@/lib/client/list';
import { formatDate } from '@/lib/format/time';
import { type ClusterValues, presetsOf, whyNotEngine, whyNotVersion } from './cluster-values';
import { EngineCardsField } from './engine-cards-field';
import { engineLooks } from './engine-look';
import { memberOptions } from './member-options';
import { sizeOptions } from './sizes';
import type { Version } from './types';

export type ClusterForm = ReturnType<typeof useSchemaForm<ClusterValues, ClusterValues>>;

export interface NewClusterChoices {
  versions: readonly Version[];
  networks: readonly Row<'/api/v1/network/networks'>[];
  groups: readonly Row<'/api/v1/network/security-groups'>[];
}

interface StepProps {
  form: ClusterForm;
  choices: NewClusterChoices;
}

/** Which engine. */
export function EngineStep({ form, choices: { versions } }: StepProps) {
  const engine = useWatch({ control: form.control, name: 'engine' });
  return (
    <EngineCardsField
      value={engine}
      whyNot={(one) => whyNotEngine(versions, one)}
      onChange={(next) => {
        for (const [name, value] of Object.entries(presetsOf(versions, next))) {
          form.setValue(name as keyof ClusterValues, value, { shouldDirty: true });
        }
      }}
    />
  );
}

/** Which version of it, and the name of the cluster. */
export function VersionStep({ form, choices: { versions } }: StepProps) {
  const { control } = form;
  const engine = useWatch({ control, name: 'engine' });
  return (
    <>
      <CardsField
        control={control}
        name="version"
        label="Version"
        options={versions
          .filter((one) => one.engine === engine)
          .map((one) => ({
            value: one.version,
            label: `${engineLooks[engine].label} ${one.version}`,
            description: describeVersion(one),
            disabledReason: whyNotVersion(one),
          }))}
      />
      <TextField
        control={control}
        name="name"
        label="Name"
        description="3 to 63 lowercase letters, digits and dashes. Part of host names; it can’t be changed."
        placeholder="orders"
        autoComplete="off"
        autoFocus
      />
      <TextField
        control={control}
        name="namespace"
        label="Namespace"
        description="Groups clusters, such as those of a team or an environment."
        autoComplete="off"
      />
    </>
  );
}

function describeVersion({ default: preset, status, end_of_life_at, program }: Version): string {
  const words = [
    preset && 'default',
    status === 'deprecated' && 'deprecated',
    end_of_life_at !== null && `maintained until ${formatDate(end_of_life_at)}`,
    program.state === 'available' && 'installed on first use',
  ]
    .filter((part) => part !== false)
    .join(', ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** How many members, and how large. */
export function SizeStep({ form }: Pick<StepProps, 'form'>) {
  const { control } = form;
  const engine = useWatch({ control, name: 'engine' });
  return (
    <>
      <CardsField
        control={control}
        name="instances"
        label="Members"
        description={engineLooks[engine].availability}
        options={memberOptions(engine)}
      />
      <SelectField control={control} name="size" label="Size of each member" options={sizeOptions()} />
      <TextField
        control={control}
        name="storage_gb"
        label="Storage of each member"
        description="Can be enlarged later, never shrunk."
        inputMode="numeric"
        unit="GB"
        width="short"
      />
    </>
  );
}

/** Where it is, and who reaches it. */
export function NetworkStep({ form, choices: { networks, groups } }: StepProps) {
  const { control } = form;
  const access = useWatch({ control, name: 'access' });
  return (
    <>
      <SelectField
        control={control}
        name="network_id"
        label="Network"
        description="The cluster has one address on this network. A floating IP can be associated later."
        options={networks.map(({ id, name, cidr }) => ({ value: id, label: name, description: cidr }))}
      />
      <CardsField
        control={control}
        name="access"
        label="Access"
        options={[
          { value: 'network', label: 'Its network', description: 'All that is on the same network.' },
          { value: 'groups', label: 'Security groups', description: 'Only traffic that their rules allow.' },
        ]}
      />
      {access === 'groups' && <SecurityGroupsField control={control} name="security_group_ids" groups={groups} />}
    </>
  );
}
