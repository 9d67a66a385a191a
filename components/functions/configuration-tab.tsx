'use client';

import { useWatch } from 'react-hook-form';
import { CheckboxListField } from '@/components/kit/form/checkbox-list-field';
import { CardsField, SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { notify } from '@/components/kit/ui/notify';
import { useList } from '@/lib/client/list';
import { replaceFunction } from '@/lib/client/operations/functions';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type ConfigurationValues, configurationBody, configurationSchema, valuesOf } from './configuration-values';
import { EnvironmentField } from './environment-field';
import { LayersField } from './layers-field';
import type { CloudFunction } from './types';

const networks = [
  { value: 'none', label: 'None', description: 'Reaches nothing' },
  { value: 'outbound', label: 'Outbound', description: 'Public addresses over HTTP and HTTPS, by a proxy' },
  { value: 'project', label: 'Project network', description: 'A port on a network of the project' },
];

export type ConfigurationForm = ReturnType<typeof useSchemaForm<ConfigurationValues, ConfigurationValues>>;

/** Memory, time, variables, layers and network of a function. Each change is a version. */
export function ConfigurationTab({ of }: { of: CloudFunction }) {
  const { api, project } = useProject();
  const replace = api.useMutation('put', '/api/v1/functions/{id}');
  const form = useSchemaForm<ConfigurationValues, ConfigurationValues>(configurationSchema, valuesOf(of));
  const { control } = form;
  return (
    <FormShell
      form={form}
      loading={false}
      error={replace.error}
      failure="The configuration could not be changed"
      submitLabel="Deploy configuration"
      operation="replaceFunction"
      copy={{
        operation: replaceFunction,
        id: of.id,
        schema: configurationSchema,
        body: (values) => configurationBody(of, values),
      }}
      cancel={paths.function(project.slug, of.id)}
      onSubmit={async (values) => {
        const changed = await replace.mutateAsync({
          params: { path: { id: of.id } },
          body: configurationBody(of, values),
        });
        void notify('success', `Version ${changed.version} is being deployed`);
        form.reset(valuesOf(changed));
      }}
    >
      <TextField
        control={control}
        name="handler"
        label="Handler"
        description="File and export."
        autoComplete="off"
        mono
      />
      <div className="grid gap-5 sm:grid-cols-3">
        <TextField
          control={control}
          name="memory_mb"
          label="Memory"
          unit="MB"
          description="64 to 2,048, with /tmp."
          inputMode="numeric"
        />
        <TextField
          control={control}
          name="timeout_s"
          label="Timeout"
          unit="s"
          description="Up to 300 seconds."
          inputMode="numeric"
        />
        <TextField
          control={control}
          name="concurrency"
          label="Concurrency"
          description="Events at the same time."
          inputMode="numeric"
        />
      </div>
      <EnvironmentField form={form} />
      <LayersField form={form} of={of} />
      <CardsField control={control} name="network" label="Network" options={networks} />
      <PortFields form={form} />
    </FormShell>
  );
}

/** Where the port is, and what its rules are. */
function PortFields({ form: { control } }: { form: ConfigurationForm }) {
  const network = useWatch({ control, name: 'network' });
  const present = useList('/api/v1/network/networks', { limit: 200, sort: 'name' });
  const groups = useList('/api/v1/network/security-groups', { limit: 200, sort: 'name' });
  if (network !== 'project') return null;
  return (
    <>
      <SelectField
        control={control}
        name="network_id"
        label="On network"
        description="Its machines and services answer by address and by name."
        placeholder="The only network"
        options={(present.data?.rows ?? []).map(({ id, name, subnets }) => ({
          value: id,
          label: name,
          description: subnets.map(({ cidr }) => cidr).join(', '),
        }))}
      />
      <CheckboxListField
        control={control}
        name="security_group_ids"
        label="Security groups"
        optional
        description={(chosen) =>
          chosen.length === 0 ? 'Without one, everything is let out and nothing in.' : 'Only what their rules allow.'
        }
        items={(groups.data?.rows ?? []).map(({ id, name, description }) => ({ value: id, label: name, description }))}
      />
    </>
  );
}
