'use client';

import { Plus, Trash2 } from 'lucide-react';
import { useFieldArray, useWatch } from 'react-hook-form';
import { SelectField, TextField } from '@/components/kit/form/fields';
import { SplitSlider } from '@/components/kit/shares/split-slider';
import { Button } from '@/components/kit/ui/button';
import type { Option } from '@/components/kit/ui/option';
import { useList } from '@/lib/client/list';
import type { RouteForm } from './route-form';
import { type BackendValues, newBackend, sharesFor, URL_TARGET } from './route-values';

const MOST_BACKENDS = 10;
const names = ['stable', 'canary'];

/** Where the requests of a route go, and how they are divided. */
export function BackendsField({ form }: { form: RouteForm }) {
  const { control } = form;
  const { fields, append, remove } = useFieldArray({ control, name: 'backends' });
  // A copy: the form changes its values in place, and an equal value is not rendered again.
  const backends = useWatch({ control, name: 'backends', compute: (all: BackendValues[]) => structuredClone(all) });
  const shares = useWatch({ control, name: 'shares', compute: (all: number[]) => [...all] });
  const options = useTargets();
  const setShares = (next: number[]) => form.setValue('shares', next, { shouldDirty: true });
  return (
    <fieldset className="space-y-4">
      <legend className="font-medium text-sm">Backends</legend>
      {fields.map(({ id }, position) => {
        const target = backends[position]?.target ?? '';
        return (
          <fieldset key={id} className="space-y-3 rounded-md border p-4">
            <legend className="sr-only">Backend {position + 1}</legend>
            <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3 sm:grid-cols-[10rem_minmax(0,1fr)_auto]">
              <TextField control={control} name={`backends.${position}.name`} label="Name" autoComplete="off" />
              <div className="max-sm:col-span-2 max-sm:row-start-2">
                <SelectField
                  control={control}
                  name={`backends.${position}.target`}
                  label="Requests go to"
                  placeholder="Choose…"
                  options={options}
                />
              </div>
              <Button
                variant="quiet"
                size="icon"
                className="mt-6.5"
                aria-label={`Remove backend ${position + 1}`}
                disabled={fields.length < 2}
                onClick={() => {
                  remove(position);
                  setShares(sharesFor(shares, position));
                }}
              >
                <Trash2 />
              </Button>
            </div>
            {target === URL_TARGET ? (
              <TextField
                control={control}
                name={`backends.${position}.url`}
                label="URL"
                description="Scheme, host and port. The request keeps its host and path."
                placeholder="https://www.example.org"
                autoComplete="off"
                mono
              />
            ) : target.startsWith('function:') ? (
              <p className="text-pretty text-ink-muted text-xs">
                A request becomes the function’s event, and its result the response.
              </p>
            ) : (
              <TextField
                control={control}
                name={`backends.${position}.port`}
                label="Port"
                inputMode="numeric"
                width="short"
              />
            )}
          </fieldset>
        );
      })}
      <Button
        disabled={fields.length >= MOST_BACKENDS}
        onClick={() => {
          append(
            newBackend(names.find((name) => backends.every((one) => one.name !== name)) ?? `v${fields.length + 1}`),
          );
          setShares(sharesFor(shares));
        }}
      >
        <Plus /> Add backend
      </Button>
      {fields.length > 1 && (
        <SplitSlider
          label="Requests"
          parts={backends.map(({ name }, position) => ({
            name: String(position),
            label: name === '' ? `Backend ${position + 1}` : name,
          }))}
          shares={shares}
          onChange={setShares}
        />
      )}
    </fieldset>
  );
}

/** Instances, load balancers and functions of the project, and any address. */
function useTargets(): Option[] {
  const instances = useList('/api/v1/compute/instances', { limit: 200, sort: 'name' });
  const balancers = useList('/api/v1/lbaas/loadbalancers', { limit: 200, sort: 'name' });
  const functions = useList('/api/v1/functions', { limit: 200, sort: 'name' });
  return [
    ...(instances.data?.rows ?? []).map(({ id, name, addresses }) => ({
      value: `instance:${id}`,
      label: name,
      description: `Instance${addresses[0] ? `, ${addresses[0].ip}` : ''}`,
    })),
    ...(balancers.data?.rows ?? []).map(({ id, name, vip_address }) => ({
      value: `load_balancer:${id}`,
      label: name,
      description: `Load balancer, ${vip_address}`,
    })),
    ...(functions.data?.rows ?? []).map(({ id, name, template_id }) => ({
      value: `function:${id}`,
      label: name,
      description: `Function, ${template_id}`,
    })),
    { value: URL_TARGET, label: 'A URL', description: 'A server on the internet' },
  ];
}
