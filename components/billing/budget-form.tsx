'use client';

import { useMutation } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import { ChangedMeanwhile } from '@/components/kit/form/changed-meanwhile';
import { ChoiceField, TextAreaField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { notify } from '@/components/kit/ui/notify';
import { ApiError } from '@/lib/client/errors';
import { setBudget } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type Budget, budgetOf, budgetSchema, differences, inputsOf, type SetBudget } from './budget-values';
import type { Pace } from './pace';

const BudgetPreview = lazyComponent(() => import('./budget-preview').then((module) => module.BudgetPreview));

/** A budget with its version. */
export interface VersionedBudget {
  budget: Budget;
  tag: string;
}

interface BudgetFormProps {
  /** As it is now; what it was when the form was opened is kept here. */
  current: VersionedBudget;
  pace: Pace;
  reload: () => Promise<unknown>;
  /** The version that a change of the reader's own has made. */
  onSaved: (saved: VersionedBudget) => void;
}

/** The monthly budget. A change of someone else's is never overwritten unseen. */
export function BudgetForm({ current, pace, reload, onSaved }: BudgetFormProps) {
  const { project, client } = useProject();
  const [base, setBase] = useState(current);
  // The version that the last save replaced: until the page has read again, it is what `current` still shows.
  const [replaced, setReplaced] = useState<string>();
  const form = useSchemaForm(budgetSchema, inputsOf(base.budget));
  const save = useMutation({
    mutationFn: async (body: SetBudget): Promise<VersionedBudget> => {
      const header = { 'If-Match': base.tag };
      const { data, response } = await client.PUT('/api/v1/billing/budget', { params: { header }, body });
      const tag = response.headers.get('etag');
      if (!data || tag === null) throw new Error('the budget comes with its entity tag');
      return { budget: data, tag };
    },
    onError: reload,
  });
  const stale = save.error instanceof ApiError && save.error.code === 'PRECONDITION_FAILED';
  const changed = base.tag !== current.tag && current.tag !== replaced;
  const sameAgain = changed && differences(base.budget, current.budget).length === 0;
  // Another version of the same settings: there is nothing to decide.
  if (sameAgain) setBase(current);
  const outdated = changed && !sameAgain;

  const takeOver = () => {
    // What was typed here stays; what was not follows the other change.
    form.reset(inputsOf(current.budget), { keepDirtyValues: true });
    setBase(current);
    save.reset();
  };
  return (
    <FormShell
      form={form}
      loading={false}
      error={stale && outdated ? null : save.error}
      failure="The budget could not be changed"
      submitLabel="Save budget"
      operation="setBudget"
      disabledReason={outdated ? 'The budget has changed. Load the current values first.' : undefined}
      copy={{ operation: setBudget, schema: budgetSchema, body: budgetOf }}
      cancel={paths.billing(project.slug)}
      aside={<BudgetPreview control={form.control} pace={pace} status={current.budget.status} />}
      onSubmit={async (values) => {
        const saved = await save.mutateAsync(budgetOf(values));
        onSaved(saved);
        setReplaced(base.tag);
        setBase(saved);
        form.reset(inputsOf(saved.budget));
        void notify('success', saved.budget.status.frozen ? 'Budget saved. The project is frozen.' : 'Budget saved');
      }}
    >
      {outdated && (
        <ChangedMeanwhile
          what="budget"
          differences={differences(base.budget, current.budget)}
          refused={stale}
          onTakeOver={takeOver}
        />
      )}
      <TextField
        control={form.control}
        name="monthly_limit_usd"
        label="Monthly limit"
        description="Per calendar month (UTC). Leave empty for no budget."
        inputMode="decimal"
        unit="USD"
        autoComplete="off"
        width="short"
      />
      <TextField
        control={form.control}
        name="thresholds"
        label="Alert at"
        description="Percentages of the limit. Each alerts once a month, and again after you raise the limit. 100% always alerts."
        unit="%"
        autoComplete="off"
        width="short"
      />
      <ChoiceField
        control={form.control}
        name="enable_quota_freeze"
        form="switch"
        label="Freeze at 100%"
        description="Blocks creating and enlarging instances, volumes, databases, clusters and load balancers until the month ends, the budget is raised or credit is added. Existing resources keep running and can be started, restored and deleted."
      />
      <TextAreaField
        control={form.control}
        name="notify_emails"
        label="Alerts by e-mail"
        description="One address per line. Recipients do not need to be members."
        rows={3}
        placeholder="finance@example.com"
        optional
      />
      <TextField
        control={form.control}
        name="webhook_url"
        label="Alerts by webhook"
        description={
          <>
            Signed according to Standard Webhooks. Find the secret, a test and all deliveries under{' '}
            <Link
              href={paths.budgetAlerts(project.slug)}
              className="rounded-sm text-accent underline underline-offset-2"
            >
              Budget alerts
            </Link>
            .
          </>
        }
        type="url"
        inputMode="url"
        placeholder="https://hooks.example.com/budget"
        mono
        optional
      />
    </FormShell>
  );
}
