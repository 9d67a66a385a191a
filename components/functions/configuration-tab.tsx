'use client';

import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { notify } from '@/components/kit/ui/notify';
import { replaceFunction } from '@/lib/client/operations/functions';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type ConfigurationValues, configurationBody, configurationSchema, valuesOf } from './configuration-values';
import { EnvironmentField } from './environment-field';
import { LayersField } from './layers-field';
import { NetworkFields, networkNames } from './network-fields';
import type { CloudFunction } from './types';

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
      <NetworkFields control={control} names={networkNames} />
    </FormShell>
  );
}
