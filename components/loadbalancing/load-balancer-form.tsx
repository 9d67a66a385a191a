'use client';

import { type ReactNode, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { safeParse } from 'zod/v4/core';
import { CopyAs } from '@/components/kit/copy/copy-as';
import { callOf, type useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { useUnsaved } from '@/components/kit/page/unsaved';
import { Wizard } from '@/components/kit/wizard/wizard';
import type { Call } from '@/lib/client/commands';
import { HealthCheckStep } from './health-check-step';
import { ListenersStep, type NewLoadBalancerChoices } from './listeners-step';
import { type LoadBalancerValues, loadBalancerSchema, type Step, stepOfField } from './load-balancer-values';
import { MembersStep } from './members-step';
import { PoolsStep } from './pools-step';

export type LoadBalancerForm = ReturnType<typeof useSchemaForm<LoadBalancerValues, LoadBalancerValues>>;

const labels: Record<Step, string> = {
  listeners: 'Listeners',
  pools: 'Pools',
  members: 'Members',
  'health-checks': 'Health checks',
  review: 'Review',
};
const names: readonly Step[] = ['listeners', 'pools', 'members', 'health-checks', 'review'];

interface LoadBalancerWizardProps {
  form: LoadBalancerForm;
  /** Only for a new load balancer. */
  choices?: NewLoadBalancerChoices;
  finishLabel: string;
  /** Title of the error if the request fails. */
  failure: string;
  copy: { operation: Call['operation']; id?: string; body: (values: LoadBalancerValues) => object };
  disabledReason: string | undefined;
  /** The last step: the summary of a new one, the changes of an existing one. */
  review: (values: LoadBalancerValues) => ReactNode;
  onSubmit: (values: LoadBalancerValues) => Promise<unknown>;
  aside?: ReactNode;
}

/** Listeners, pools, members and health checks in steps, for a new load balancer and for an existing one. */
export function LoadBalancerWizard(props: LoadBalancerWizardProps) {
  const { form, choices, finishLabel, failure, copy, disabledReason, review, onSubmit, aside } = props;
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState(false);
  // A copy: the form changes its values in place, and an equal value is not rendered again.
  const values = useWatch({ control: form.control, compute: (all: LoadBalancerValues) => structuredClone(all) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsaved(() => isDirty && !isSubmitting && !done);
  const submit = form.handleSubmit(async (checked) => {
    setError(undefined);
    try {
      await onSubmit(checked);
      setDone(true);
    } catch (reason) {
      setError(reason);
    }
  });
  const missing = missingIn(values);
  const steps = names.map((name) => ({
    name,
    label: labels[name],
    missing: missing.get(name) ?? (name === 'review' ? disabledReason : undefined),
  }));
  const wizard = (
    <Wizard
      label="Load balancer steps"
      steps={steps}
      finishLabel={finishLabel}
      onFinish={() => void submit()}
      pending={isSubmitting}
    >
      {(step) => {
        switch (step) {
          case 'listeners':
            return <ListenersStep form={form} choices={choices} />;
          case 'pools':
            return <PoolsStep form={form} />;
          case 'members':
            return <MembersStep form={form} />;
          case 'health-checks':
            return <HealthCheckStep form={form} />;
          default:
            return (
              <div className="space-y-5">
                {review(values)}
                {error !== undefined && <ErrorNotice title={failure} error={error} />}
                <CopyAs call={() => callOf(form, { ...copy, schema: loadBalancerSchema })} />
              </div>
            );
        }
      }}
    </Wizard>
  );
  if (!aside) return wizard;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-10 gap-y-5 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="min-w-0">{wizard}</div>
      <aside className="min-w-0 space-y-4 xl:sticky xl:top-20">{aside}</aside>
    </div>
  );
}

/** The first problem of each step, which keeps the next one closed. */
function missingIn(values: LoadBalancerValues): Map<Step, string> {
  const checked = safeParse(loadBalancerSchema, values);
  const missing = new Map<Step, string>();
  for (const { path, message } of checked.error?.issues ?? []) {
    const step = stepOfField(path);
    if (!missing.has(step)) missing.set(step, message);
  }
  return missing;
}
