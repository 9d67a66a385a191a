'use client';

import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { Money } from '@/components/kit/data/amounts';
import { TextField } from '@/components/kit/form/fields';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { useBudget } from '@/lib/client/freeze';
import { formatMoney } from '@/lib/format/money';
import { useHostedPages } from './hosted-page';

const LEAST = 1;
const MOST = 10_000;
const presets = ['10', '25', '50', '100', '250'];

const schema = z.object({
  amount: z.string().check(
    z.trim(),
    z.regex(/^\d{1,6}(\.\d{1,2})?$/, 'Enter an amount in USD, such as 25 or 12.50.'),
    z.refine(
      (text) => Number(text) >= LEAST && Number(text) <= MOST,
      `From ${formatMoney(LEAST)} to ${formatMoney(MOST)} per payment.`,
    ),
  ),
});

/** How much credit to pay for; the paying itself is on the processor's page. */
export function TopUpDialog({ amount, close }: { amount: string; close: () => void }) {
  const { payFor, error } = useHostedPages();
  const { data: budget } = useBudget();
  const form = useSchemaForm(schema, { amount });
  const typed = useWatch({ control: form.control, name: 'amount' });
  const valid = schema.safeParse({ amount: typed }).success;
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      size="sm"
      title="Add credit"
      description="Prepaid, in USD. Credit does not expire."
    >
      <FormShell
        form={form}
        loading={false}
        error={error}
        failure="The payment page could not be opened"
        submitLabel="Continue to payment"
        cancel={close}
        onSubmit={(values) => payFor(Number(values.amount))}
      >
        <fieldset>
          <legend className="sr-only">Suggested amounts</legend>
          <div className="grid grid-cols-5 gap-2">
            {presets.map((preset) => (
              <Button
                key={preset}
                aria-pressed={preset === typed}
                className={preset === typed ? 'border-accent bg-accent-soft text-accent' : undefined}
                onClick={() => form.setValue('amount', preset, { shouldValidate: true, shouldDirty: true })}
              >
                ${preset}
              </Button>
            ))}
          </div>
        </fieldset>
        <TextField
          control={form.control}
          name="amount"
          label="Amount"
          inputMode="decimal"
          unit="USD"
          autoComplete="off"
          autoFocus
        />
        <p className="text-pretty text-ink-muted text-xs">
          {budget?.status.frozen && valid ? (
            <>
              It lifts the budget freeze until another <Money usd={typed.trim()} /> is spent this month.{' '}
            </>
          ) : null}
          You pay on the page of the payment processor. The credit is there when the processor confirms the payment.
        </p>
      </FormShell>
    </Dialog>
  );
}
