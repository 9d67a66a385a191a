'use client';

import { RotateCcw } from 'lucide-react';
import { useWatch } from 'react-hook-form';
import { SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';
import { changedParameters, type ParameterValues, parameterSchema, typedValue } from './parameter-values';
import { type Cluster, type Parameter, pathOf, whyNotChange } from './types';

/** The parameters of a cluster's engine, to read and to change. */
export function ParametersTab({ cluster }: { cluster: Cluster }) {
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/dbaas/catalog/parameters', {
    params: { query: { engine: cluster.engine } },
  });
  return (
    <Loaded query={query} what="The parameters" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
      {(all) => {
        const parameters = all.filter(({ engine }) => engine === cluster.engine);
        if (parameters.length === 0) {
          return (
            <EmptyState icon={kindIcon('ruler')} title="No parameters">
              The platform sets all parameters of this engine.
            </EmptyState>
          );
        }
        // Fresh values after each change of the cluster.
        return <ParametersForm key={cluster.updated_at} cluster={cluster} parameters={parameters} />;
      }}
    </Loaded>
  );
}

function ParametersForm({ cluster, parameters }: { cluster: Cluster; parameters: readonly Parameter[] }) {
  const { api } = useProject();
  const change = api.useMutation('patch', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}');
  const form = useSchemaForm<ParameterValues, ParameterValues>(parameterSchema(parameters), {
    values: parameters.map((parameter) => typedValue(parameter, cluster.parameters)),
  });
  const typed = useWatch({ control: form.control, compute: ({ values }: ParameterValues) => [...values] });
  const changes = changedParameters(parameters, cluster.parameters, typed);
  const changed = parameters.filter(({ name }) => name in changes);
  const restarts = changed.some((parameter) => parameter.restarts);
  return (
    <FormShell
      form={form}
      loading={false}
      error={change.error}
      failure="The parameters could not be changed"
      submitLabel="Change parameters"
      operation="changeDatabaseCluster"
      disabledReason={whyNotChange(cluster) ?? (changed.length === 0 ? 'Change a value first.' : undefined)}
      cancel={() => form.reset()}
      aside={
        <Card title="Changes">
          <div className="space-y-2 text-sm" aria-live="polite">
            <p className="text-ink-muted">
              {changed.length === 0
                ? 'No parameter is changed.'
                : `${formatCount(changed.length, 'parameter')} changed:`}
            </p>
            <ul className="space-y-1">
              {changed.map((parameter) => (
                <li key={parameter.name} className="wrap-anywhere">
                  <code className="font-mono text-xs">{parameter.name}</code>{' '}
                  <span className="text-ink-muted">{typedValue(parameter, cluster.parameters) || 'default'} →</span>{' '}
                  {String(changes[parameter.name] ?? 'default')}
                </li>
              ))}
            </ul>
            {restarts && (
              <p className="flex gap-2 text-pretty text-caution-ink text-xs">
                <RotateCcw className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
                Members restart one after the other. Connections are held, not ended, where several members run.
              </p>
            )}
          </div>
        </Card>
      }
      onSubmit={async ({ values }) => {
        const body = { parameters: changedParameters(parameters, cluster.parameters, values) };
        await change.mutateAsync({ params: { path: pathOf(cluster) }, body });
      }}
    >
      {parameters.map((parameter, position) => (
        <ParameterField key={parameter.name} parameter={parameter} name={`values.${position}`} control={form.control} />
      ))}
    </FormShell>
  );
}

interface ParameterFieldProps {
  parameter: Parameter;
  name: `values.${number}`;
  control: ReturnType<typeof useSchemaForm<ParameterValues, ParameterValues>>['control'];
}

function ParameterField({ parameter, name, control }: ParameterFieldProps) {
  const { type, choices, unit } = parameter;
  const shared = { control, name, label: parameter.name, description: describe(parameter) };
  const options = type === 'boolean' ? ['true', 'false'] : type === 'choice' ? choices : null;
  if (options) {
    return (
      <SelectField
        {...shared}
        options={options.map((value) => ({ value, label: type === 'boolean' ? onOff(value) : value }))}
      />
    );
  }
  return (
    <TextField
      {...shared}
      {...(unit !== null && { unit })}
      inputMode={type === 'text' ? undefined : 'decimal'}
      placeholder={parameter.default === null ? 'By the size of the members' : String(parameter.default)}
      width={type === 'text' ? 'full' : 'short'}
      autoComplete="off"
    />
  );
}

const onOff = (value: string) => (value === 'true' ? 'On' : 'Off');

function describe({ description, default: preset, type, minimum, maximum, restarts }: Parameter): string {
  const range = minimum !== null && maximum !== null ? ` ${formatNumber(minimum)} to ${formatNumber(maximum)}.` : '';
  const usual = preset === null ? '' : ` Default: ${type === 'boolean' ? onOff(String(preset)) : preset}.`;
  return `${description}${range}${usual}${restarts ? ' A change restarts the members.' : ''}`;
}
