'use client';

import { clsx } from 'clsx';
import { useId } from 'react';
import { type FieldPath, type FieldValues, type UseFormReturn, useController } from 'react-hook-form';
import { Radio } from '@/components/kit/ui/choice';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/kit/ui/tabs';
import { ClaimsPrice } from '@/components/pricing/claims-price';
import { useProject } from '@/lib/client/project';
import { billedWhileRunning } from '@/lib/domains/compute/billed';
import { formatGigabytes } from '@/lib/format/size';
import { byFamily, exceeded, type Flavor, familyOf } from './flavor-choice';

export interface FlavorFieldProps<Values extends FieldValues> {
  control: UseFormReturn<Values>['control'];
  name: FieldPath<Values>;
  flavors: readonly Flavor[];
  /** Why a flavor can't be chosen; undefined when it can. */
  whyNot: (flavor: Flavor) => string | undefined;
}

/** The size of an instance: all sizes of a family side by side, each with its price, as in a price list. */
export function FlavorField<Values extends FieldValues>({ control, name, flavors, whyNot }: FlavorFieldProps<Values>) {
  const { field, fieldState } = useController({ control, name });
  const reasonOf = useExceeded();
  const id = useId();
  const families = [...byFamily(flavors)];
  const chosen = flavors.find((flavor) => flavor.id === field.value) ?? flavors[0];
  return (
    <fieldset aria-describedby={`${id}-error`}>
      <legend className="font-medium text-sm">Flavor</legend>
      <Tabs defaultValue={chosen && tabOf(familyOf(chosen))}>
        <TabsList aria-label="Families of flavors">
          {families.map(([family]) => (
            <TabsTrigger key={family} value={tabOf(family)}>
              {family}
            </TabsTrigger>
          ))}
        </TabsList>
        {families.map(([family, members]) => (
          <TabsContent key={family} value={tabOf(family)}>
            <div
              className={clsx(
                'max-h-80 overflow-y-auto rounded-md border bg-surface shadow-control',
                fieldState.error && 'border-critical',
              )}
            >
              {members.map((flavor, position) => (
                <FlavorRow
                  key={flavor.id}
                  id={`${id}-${flavor.id}`}
                  flavor={flavor}
                  reason={whyNot(flavor) ?? reasonOf(flavor)}
                  radio={{
                    name: field.name,
                    ref: position === 0 ? field.ref : undefined,
                    checked: field.value === flavor.id,
                    onChange: () => field.onChange(flavor.id),
                    onBlur: field.onBlur,
                  }}
                />
              ))}
            </div>
          </TabsContent>
        ))}
      </Tabs>
      <p
        id={`${id}-error`}
        aria-live="polite"
        className={clsx('text-critical-ink text-xs', fieldState.error && 'mt-1.5')}
      >
        {fieldState.error?.message}
      </p>
    </fieldset>
  );
}

/** The name of a family's tab: part of an id, which has no spaces. */
function tabOf(family: string): string {
  return family.replaceAll(' ', '-');
}

interface FlavorRowProps {
  id: string;
  flavor: Flavor;
  reason: string | undefined;
  radio: Omit<Parameters<typeof Radio>[0], 'id' | 'value' | 'disabled' | 'className'>;
}

function FlavorRow({ id, flavor, reason, radio }: FlavorRowProps) {
  const { name, vcpus, ram_gb, disk_gb, gpu_slices } = flavor;
  return (
    <label
      htmlFor={id}
      className={clsx(
        'grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 border-b px-3 py-2 text-sm last:border-b-0',
        'sm:grid-cols-[auto_minmax(0,1fr)_4.5rem_6.5rem_5.5rem_6.5rem]',
        'has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:-outline-offset-2',
        reason ? 'text-ink-muted' : 'cursor-pointer hover:bg-hover',
      )}
    >
      <Radio
        id={id}
        value={flavor.id}
        disabled={reason !== undefined}
        className="outline-none [&_input]:outline-none"
        {...radio}
      />
      <span className="min-w-0">
        <span className="font-medium">{name}</span>
        {gpu_slices > 0 && <span className="text-ink-muted"> · {gpu_slices} GPU</span>}
        {reason && <span className="block text-pretty text-xs">{reason}</span>}
        <span className="block text-ink-muted text-xs tabular-nums sm:hidden">
          {vcpus} vCPU · {formatGigabytes(ram_gb)} · {formatGigabytes(disk_gb)} disk
        </span>
      </span>
      <span className="text-right tabular-nums max-sm:hidden">{vcpus} vCPU</span>
      <span className="text-right tabular-nums max-sm:hidden">{formatGigabytes(ram_gb)} memory</span>
      <span className="text-right tabular-nums max-sm:hidden">{formatGigabytes(disk_gb)} disk</span>
      <span className="text-right tabular-nums">
        <ClaimsPrice claims={billedWhileRunning(flavor)} per="month" />
        <span className="block text-ink-muted text-xs">per month</span>
      </span>
    </label>
  );
}

/** Why a flavor exceeds the project's quota or budget. */
function useExceeded(): (flavor: Flavor) => string | undefined {
  const { api } = useProject();
  const quota = api.useQuery('get', '/api/v1/tenant/quota');
  const pricing = api.useQuery('get', '/api/v1/billing/pricing');
  const overview = api.useQuery('get', '/api/v1/billing/overview');
  return (flavor) => exceeded(flavor, { quota: quota.data, pricing: pricing.data, overview: overview.data });
}
