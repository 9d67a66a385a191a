'use client';

import { X } from 'lucide-react';
import { useId } from 'react';
import { setAddress } from '@/components/kit/page/address';
import { Button } from '@/components/kit/ui/button';
import { Combobox } from '@/components/kit/ui/combobox';
import { Select } from '@/components/kit/ui/select';
import { typeTitle } from '@/lib/format/resource-type';
import { type Aggregate, aggregates, kindOf, kindsOf, type MetricChoice, shortName } from './promql-builder';
import { SmallField } from './small-field';
import type { MetricInfo } from './units';
import { useReporting } from './use-metrics';

interface MetricBuilderProps {
  metrics: readonly MetricInfo[];
  choice: MetricChoice;
}

const names: Readonly<Record<Aggregate, string>> = {
  none: 'Each resource',
  sum: 'Sum',
  avg: 'Average',
  min: 'Minimum',
  max: 'Maximum',
};

/** The parts of a query that need no knowledge of PromQL: resource type, metric, resources and aggregate. */
export function MetricBuilder({ metrics, choice: { metric, resources, aggregate } }: MetricBuilderProps) {
  const id = useId();
  const reporting = useReporting(metric.name);
  const known = kindsOf(metrics);
  const kind = kindOf(metric.name);
  const ofKind = metrics.filter(({ name }) => kindOf(name) === kind);
  const choose = (resource: readonly string[]) => setAddress({ resource: resource.join(',') || undefined });
  const chooseMetric = (name: string) => setAddress({ metric: name, resource: undefined });
  const nameOf = (one: string) => reporting.data?.find((resource) => resource.id === one)?.name ?? one;
  return (
    <div className="space-y-2">
      <fieldset className="flex flex-wrap items-end gap-3">
        <legend className="sr-only">Metric</legend>
        <SmallField label="Resource type" htmlFor={`${id}-kind`} className="w-44 max-sm:w-full">
          <Select
            id={`${id}-kind`}
            options={known.map((value) => ({ value, label: typeTitle(value) }))}
            value={kind}
            onValueChange={(chosen) => {
              const first = metrics.find(({ name }) => kindOf(name) === chosen);
              if (first && chosen !== kind) chooseMetric(first.name);
            }}
          />
        </SmallField>
        <SmallField label="Metric" htmlFor={`${id}-metric`} className="w-64 max-sm:w-full">
          <Combobox
            id={`${id}-metric`}
            nouns="metrics"
            options={ofKind.map(({ name, help }) => ({ value: name, label: shortName(name, kind), description: help }))}
            value={metric.name}
            onValueChange={(name) => name !== metric.name && chooseMetric(name)}
          />
        </SmallField>
        <SmallField label="Resources" htmlFor={`${id}-resource`} className="w-56 max-sm:w-full">
          <Combobox
            id={`${id}-resource`}
            nouns="resources"
            placeholder={resources.length === 0 ? 'All resources' : 'Add a resource'}
            options={(reporting.data ?? [])
              .filter((resource) => !resources.includes(resource.id))
              .map((resource) => ({ value: resource.id, label: resource.name }))}
            value={undefined}
            onValueChange={(chosen) => choose([...resources, chosen])}
          />
        </SmallField>
        <SmallField label="Aggregate" htmlFor={`${id}-aggregate`} className="w-40 max-sm:w-full">
          <Select
            id={`${id}-aggregate`}
            options={aggregates.map((value) => ({ value, label: names[value] }))}
            value={aggregate}
            onValueChange={(chosen) => setAddress({ aggregate: chosen === 'none' ? undefined : chosen })}
          />
        </SmallField>
      </fieldset>
      {resources.length > 0 && (
        <ul aria-label="Chosen resources" className="flex flex-wrap gap-1.5">
          {resources.map((one) => (
            <li key={one}>
              <Button
                size="sm"
                aria-label={`Remove ${nameOf(one)}`}
                onClick={() => choose(resources.filter((other) => other !== one))}
              >
                {nameOf(one)} <X />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
