'use client';

import { useMutation } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { QuotaBar } from '@/components/kit/data/quota-bar';
import { ChangedMeanwhile } from '@/components/kit/form/changed-meanwhile';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { notify } from '@/components/kit/ui/notify';
import { useBackOffice } from '@/lib/client/backoffice';
import { ApiError } from '@/lib/client/errors';
import { setTenantQuota } from '@/lib/client/operations/backoffice';
import { formatQuantity } from '@/lib/format/quantity';
import { adminPaths } from '@/lib/paths';
import { changedLimits, differences, type LimitInputs, limitsOf, limitsSchema } from './limits';
import { type DimensionName, type Quota, quotaDimensions } from './quota-dimensions';

/** A quota record with the version of its limits. */
interface VersionedQuota {
  quota: Quota;
  tag: string;
}

interface LimitsFormProps {
  tenantId: string;
  /** As it is now; what it was when the form was opened is kept here. */
  current: VersionedQuota;
  reload: () => Promise<unknown>;
}

/** The nine limits of a tenant, each with its use beside it. A change of someone else's is never overwritten unseen. */
export function LimitsForm({ tenantId, current, reload }: LimitsFormProps) {
  const { client } = useBackOffice();
  const router = useRouter();
  const [base, setBase] = useState(current);
  const form = useSchemaForm(limitsSchema, limitsOf(base.quota));
  const save = useMutation({
    mutationFn: (values: LimitInputs) =>
      client.PUT('/admin/api/v1/tenants/{tenant_id}/quota', {
        params: { path: { tenant_id: tenantId }, header: { 'If-Match': base.tag } },
        body: changedLimits(base.quota, values),
      }),
    onError: reload,
  });
  const stale = save.error instanceof ApiError && save.error.code === 'PRECONDITION_FAILED';
  const changedBack = base.tag !== current.tag && differences(base.quota, current.quota).length === 0;
  // Another version of the same limits: there is nothing to decide.
  if (changedBack) setBase(current);
  const outdated = base.tag !== current.tag && !changedBack;
  const changed = Object.keys(changedLimits(base.quota, form.watch())).length > 0;

  const takeOver = () => {
    // What was typed here stays; what was not follows the other change.
    form.reset(limitsOf(current.quota), { keepDirtyValues: true });
    setBase(current);
    save.reset();
  };
  return (
    <FormShell
      form={form}
      loading={false}
      error={stale && outdated ? null : save.error}
      failure="The limits could not be changed"
      submitLabel="Save limits"
      disabledReason={
        outdated
          ? 'The limits have changed. Load the current values first.'
          : changed
            ? undefined
            : 'No changes to save.'
      }
      cancel={adminPaths.tenant(tenantId)}
      copy={{
        operation: setTenantQuota,
        id: tenantId,
        schema: limitsSchema,
        body: (values) => changedLimits(base.quota, values),
      }}
      onSubmit={async (values) => {
        await save.mutateAsync(values);
        void notify('success', `Limits of ${base.quota.tenant_name} saved`);
        router.push(adminPaths.tenant(tenantId));
      }}
    >
      {outdated && (
        <ChangedMeanwhile
          what="limits"
          several
          differences={differences(base.quota, current.quota).map(({ name, label, unit }) => ({
            name: label,
            before: formatQuantity(base.quota[name].limit, unit),
            now: formatQuantity(current.quota[name].limit, unit),
          }))}
          refused={stale}
          onTakeOver={takeOver}
        />
      )}
      <div className="divide-y rounded-lg border bg-surface">
        {quotaDimensions.map(({ name, label, unit }) => (
          <LimitRow key={name} control={form.control} {...{ name, label, unit }} entry={current.quota[name]} />
        ))}
      </div>
    </FormShell>
  );
}

interface LimitRowProps {
  control: Control<LimitInputs>;
  name: DimensionName;
  label: string;
  unit: string;
  entry: { limit: number; used: number };
}

/** One limit, and what its use would be of it, as it is typed. */
function LimitRow({ control, name, label, unit, entry }: LimitRowProps) {
  const typed = useWatch({ control, name: `${name}_limit` });
  const number = Number(typed);
  const limit = typed.trim() === '' || !Number.isFinite(number) || number < 0 ? entry.limit : number;
  const below = limit < entry.used;
  return (
    <div className="grid gap-x-8 gap-y-3 p-4 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <TextField
        control={control}
        name={`${name}_limit`}
        label={label}
        unit={unit}
        inputMode="decimal"
        autoComplete="off"
      />
      <div className="sm:pt-0.5">
        <QuotaBar label={`${label} in use`} used={entry.used} limit={limit} unit={unit} />
        {below && (
          <p role="status" className="mt-1 flex items-start gap-1.5 text-caution-ink text-xs">
            <TriangleAlert className="mt-0.5 size-3 shrink-0" aria-hidden="true" />
            Below current usage ({formatQuantity(entry.used, unit)}). Existing resources stay; nothing can be added
            until usage drops.
          </p>
        )}
      </div>
    </div>
  );
}
