'use client';

import { Plus, Trash2 } from 'lucide-react';
import { useFieldArray, useWatch } from 'react-hook-form';
import { Button } from '@/components/kit/ui/button';
import { Input } from '@/components/kit/ui/input';
import { Select } from '@/components/kit/ui/select';
import { useList } from '@/lib/client/list';
import type { ConfigurationForm } from './configuration-tab';
import type { VariableValues } from './configuration-values';

/** Environment variables: values, which are never shown again, and secrets, which are read when an instance starts. */
export function EnvironmentField({ form }: { form: ConfigurationForm }) {
  const { control, setValue, formState } = form;
  const { fields, append, remove } = useFieldArray({ control, name: 'env' });
  const variables = useWatch({ control, name: 'env', compute: (all: VariableValues[]) => structuredClone(all) });
  const secrets = useList('/api/v1/vault/secrets', { limit: 200, sort: 'name' });
  const secretOptions = (secrets.data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const problems = formState.errors.env;
  const set = (position: number, change: Partial<VariableValues>) => {
    const present = variables[position];
    if (present) setValue(`env.${position}`, { ...present, ...change }, { shouldDirty: true });
  };
  return (
    <fieldset>
      <legend className="font-medium text-sm">Environment variables</legend>
      <p className="mt-0.5 text-pretty text-ink-muted text-xs">
        Values are sealed and not shown again. Passwords and keys belong into secrets.
      </p>
      <div className="mt-2 space-y-2">
        {fields.map(({ id }, position) => {
          const variable = variables[position] ?? { name: '', kind: 'value', value: '' };
          const name = variable.name || `variable ${position + 1}`;
          const problem = problems?.[position]?.name?.message;
          return (
            <div key={id}>
              <div className="flex items-start gap-2 max-sm:flex-wrap">
                <Input
                  aria-label={`Name of variable ${position + 1}`}
                  placeholder="NAME"
                  className="font-mono sm:max-w-52"
                  spellCheck={false}
                  autoComplete="off"
                  aria-invalid={problem ? true : undefined}
                  value={variable.name}
                  onChange={({ target }) => set(position, { name: target.value })}
                />
                <Select
                  aria-label={`Source of ${name}`}
                  className="sm:max-w-36"
                  options={[
                    { value: 'value', label: 'Value' },
                    { value: 'secret', label: 'Secret' },
                    ...(variable.kind === 'kept' ? [{ value: 'kept', label: 'Unchanged' }] : []),
                  ]}
                  value={variable.kind}
                  onValueChange={(kind) =>
                    set(position, {
                      kind: kind === 'secret' ? 'secret' : kind === 'kept' ? 'kept' : 'value',
                      value: '',
                    })
                  }
                />
                {variable.kind === 'secret' ? (
                  <Select
                    aria-label={`Secret of ${name}`}
                    className="min-w-0 flex-1"
                    placeholder="Choose a secret…"
                    options={secretOptions}
                    value={variable.value}
                    onValueChange={(value) => set(position, { value })}
                  />
                ) : (
                  <Input
                    aria-label={`Value of ${name}`}
                    className="min-w-0 flex-1 font-mono"
                    placeholder={variable.kind === 'kept' ? '••••••••' : 'Value'}
                    spellCheck={false}
                    autoComplete="off"
                    value={variable.value}
                    onChange={({ target }) => set(position, { kind: 'value', value: target.value })}
                  />
                )}
                <Button variant="quiet" size="icon" aria-label={`Remove ${name}`} onClick={() => remove(position)}>
                  <Trash2 />
                </Button>
              </div>
              {problem && <p className="mt-1 text-critical-ink text-xs">{problem}</p>}
            </div>
          );
        })}
        {fields.length === 0 && <p className="text-ink-muted text-sm">None yet</p>}
      </div>
      <p aria-live="polite" className="mt-1 text-critical-ink text-xs empty:hidden">
        {problems?.root?.message ?? problems?.message}
      </p>
      <Button size="sm" className="mt-2" onClick={() => append({ name: '', kind: 'value', value: '' })}>
        <Plus /> Add variable
      </Button>
    </fieldset>
  );
}
