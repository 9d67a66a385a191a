'use client';

import { type FieldPath, type FieldValues, type UseFormReturn, useWatch } from 'react-hook-form';
import { CheckboxListField } from '@/components/kit/form/checkbox-list-field';
import { CardsField, SelectField } from '@/components/kit/form/fields';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { whyNoPort } from './why-no-port';

/** The fields under the names of the API. */
export const networkNames = {
  network: 'network',
  network_id: 'network_id',
  security_group_ids: 'security_group_ids',
} as const;

interface NetworkFieldsProps<Values extends FieldValues> {
  control: UseFormReturn<Values>['control'];
  names: Record<'network' | 'network_id' | 'security_group_ids', FieldPath<Values>>;
}

/** What a function can reach: nothing, public addresses, or a project network through its own port. */
export function NetworkFields<Values extends FieldValues>({ control, names }: NetworkFieldsProps<Values>) {
  const { api } = useProject();
  const services = api.useQuery('get', '/api/v1/services/services');
  const present = useList('/api/v1/network/networks', { limit: 200, sort: 'name' });
  const chosen = useWatch({ control, name: names.network });
  const service = services.data?.find(({ id }) => id === 'networks');
  const disabledReason = whyNoPort(service, present.data?.rows.length);
  const networks = present.data?.rows ?? [];
  return (
    <>
      <CardsField
        control={control}
        name={names.network}
        label="Network"
        options={[
          { value: 'none', label: 'None', description: 'Reaches nothing' },
          { value: 'outbound', label: 'Outbound', description: 'Public addresses over HTTP and HTTPS, by a proxy' },
          {
            value: 'project',
            label: 'Project network',
            description: 'A port on a network of the project',
            ...(disabledReason && { disabledReason }),
          },
        ]}
      />
      {chosen === 'project' && (
        <>
          <SelectField
            control={control}
            name={names.network_id}
            label="On network"
            description="Its machines and services answer by address and by name."
            placeholder={networks.length > 1 ? 'Choose a network' : 'The only network'}
            options={networks.map(({ id, name, subnets }) => ({
              value: id,
              label: name,
              description: subnets.map(({ cidr }) => cidr).join(', '),
            }))}
          />
          <GroupsField control={control} name={names.security_group_ids} />
        </>
      )}
    </>
  );
}

function GroupsField<Values extends FieldValues>(
  props: Pick<NetworkFieldsProps<Values>, 'control'> & GroupsName<Values>,
) {
  const groups = useList('/api/v1/network/security-groups', { limit: 200, sort: 'name' });
  return (
    <CheckboxListField
      control={props.control}
      name={props.name}
      label="Security groups"
      optional
      description={(chosen) =>
        chosen.length === 0 ? 'Without one, everything is let out and nothing in.' : 'Only what their rules allow.'
      }
      items={(groups.data?.rows ?? []).map(({ id, name, description }) => ({ value: id, label: name, description }))}
    />
  );
}

interface GroupsName<Values extends FieldValues> {
  name: FieldPath<Values>;
}
