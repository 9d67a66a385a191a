'use client';

import { useRouter, useSearchParams } from 'next/navigation';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import type { RatedMetric } from '@/components/backoffice/money/rate-history';
import { SelectField, TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Page } from '@/components/kit/page/page';
import { Card } from '@/components/kit/ui/card';
import { useBackOffice } from '@/lib/client/backoffice';
import { useList } from '@/lib/client/list';
import { addRate } from '@/lib/client/operations/backoffice';
import { formatRate } from '@/lib/format/money';
import { formatMonth } from '@/lib/format/time';
import { monthAfter, monthOf } from '@/lib/money/rating/month';
import { adminPaths } from '@/lib/paths';

const schema = z.object({
  metric: z.string().check(z.minLength(1, 'Choose a metric.')),
  unit_price_usd: z
    .string()
    .check(z.trim(), z.regex(/^\d{1,6}(\.\d{1,6})?$/, 'Enter a price in USD with up to six decimals, such as 0.026.')),
  effective_from: z.string().check(z.minLength(1, 'Choose a month.')),
});

const bodyOf = <Metric extends string>(
  metric: Metric,
  { unit_price_usd, effective_from }: Omit<z.output<typeof schema>, 'metric'>,
) => ({ metric, unit_price_usd: Number(unit_price_usd), effective_from });

/** So far ahead a rate can begin here; the API takes any coming month. */
const MONTHS = 24;

/** Adds a rate for a coming month. */
export default function NewRatePage() {
  const rates = useList('/admin/api/v1/billing/rates', {});
  return (
    <Page
      title="Add rate"
      description="Starts on the first day of a future month (UTC). The current month and existing invoices are not affected."
    >
      {rates.error && !rates.data ? (
        <ErrorNotice title="The rates could not be loaded" error={rates.error} onRetry={() => void rates.refetch()} />
      ) : (
        <RateForm key={rates.data ? 'ready' : 'loading'} metrics={rates.data?.rows} />
      )}
    </Page>
  );
}

function RateForm({ metrics }: { metrics: readonly RatedMetric[] | undefined }) {
  const { api } = useBackOffice();
  const router = useRouter();
  const asked = useSearchParams().get('metric');
  const add = api.useMutation('post', '/admin/api/v1/billing/rates');
  const form = useSchemaForm(schema, {
    metric: metrics?.find(({ metric }) => metric === asked)?.metric ?? '',
    unit_price_usd: '',
    effective_from: '',
  });
  const [chosen, price, from] = useWatch({
    control: form.control,
    name: ['metric', 'unit_price_usd', 'effective_from'],
  });
  const metric = metrics?.find((candidate) => candidate.metric === chosen);
  const now = monthOf(new Date());
  const months = Array.from({ length: MONTHS }, (_, index) => monthAfter(now, index + 1));
  return (
    <FormShell
      form={form}
      loading={metrics === undefined}
      error={add.error}
      failure="The rate could not be added"
      submitLabel="Add rate"
      cancel={adminPaths.rates()}
      aside={<Before metric={metric} price={price} from={from} />}
      copy={{ operation: addRate, schema, body: (values) => bodyOf(values.metric, values) }}
      onSubmit={async (values) => {
        if (!metric) return;
        await add.mutateAsync({ body: bodyOf(metric.metric, values) });
        router.push(adminPaths.rates());
      }}
    >
      <SelectField
        control={form.control}
        name="metric"
        label="Metric"
        options={(metrics ?? []).map(({ metric: value, name, unit, unit_price_usd }) => ({
          value,
          label: name,
          description: unit_price_usd === null ? 'Not priced' : formatRate(unit_price_usd, unit),
        }))}
      />
      <TextField
        control={form.control}
        name="unit_price_usd"
        label="Price"
        description={metric ? `In USD per ${metric.unit}.` : 'In USD per unit.'}
        inputMode="decimal"
        unit="USD"
        width="short"
        autoComplete="off"
      />
      <SelectField
        control={form.control}
        name="effective_from"
        label="From"
        options={months.map((value) => ({ value, label: formatMonth(value) }))}
      />
    </FormShell>
  );
}

interface BeforeProps {
  metric: RatedMetric | undefined;
  price: string;
  from: string;
}

/** What changes, before it is added: tenants see it on their rate card at once. */
function Before({ metric, price, from }: BeforeProps) {
  const known = /^\d+(\.\d+)?$/.test(price.trim());
  const replaced = metric?.rates.find(({ state, effective_from }) => state === 'coming' && effective_from === from);
  return (
    <Card title="Effect">
      <div className="space-y-2 text-pretty text-ink-muted text-sm">
        {metric ? (
          <p>
            {metric.name} costs{' '}
            <span className="text-ink">
              {metric.unit_price_usd === null ? 'nothing' : formatRate(metric.unit_price_usd, metric.unit)}
            </span>{' '}
            this month
            {known && from && (
              <>
                , and <span className="font-medium text-ink">{formatRate(price.trim(), metric.unit)}</span> from{' '}
                {formatMonth(from)}
              </>
            )}
            .
          </p>
        ) : (
          <p>Choose a metric to see its current price.</p>
        )}
        {replaced && metric && (
          <p>Replaces {formatRate(replaced.unit_price_usd, metric.unit)}, scheduled for the same month.</p>
        )}
        <p>Rates cannot be edited or removed. Until the month starts, you can replace this one by adding another.</p>
      </div>
    </Card>
  );
}
