'use client';

import { clsx } from 'clsx';
import { BellRing, Check, Snowflake } from 'lucide-react';
import { type Control, useWatch } from 'react-hook-form';
import { Money } from '@/components/kit/data/amounts';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import { formatMoney } from '@/lib/format/money';
import { type Budget, type BudgetInputs, limitOf, percentsOf } from './budget-values';
import { Moment } from './moment';
import { type Crossing, crossingOf, type Pace, spentAt } from './pace';

interface BudgetPreviewProps {
  // biome-ignore lint/suspicious/noExplicitAny: the context and the output of the form play no part here
  control: Control<BudgetInputs, any, any>;
  pace: Pace;
  status: Budget['status'];
}

/** What the budget that is being typed would do this month, in words, before it is saved. */
export function BudgetPreview({ control, pace, status }: BudgetPreviewProps) {
  const [typed, percents, freezes] = useWatch({
    control,
    name: ['monthly_limit_usd', 'thresholds', 'enable_quota_freeze'],
  });
  const limit = limitOf(typed);
  const thresholds = percentsOf(percents) ?? [];
  if (limit === undefined || limit === null) {
    return (
      <Card title="Effect">
        <p className="text-pretty text-sm">
          {limit === null
            ? 'Without a limit there are no alerts and no freeze.'
            : 'Enter an amount to see when it is reached.'}
        </p>
        <Today pace={pace} />
      </Card>
    );
  }
  const steps = [...thresholds.filter((percent) => percent < 100), 100];
  // A new limit takes back what credit had lifted; an open budget keeps it (api.md, section 6).
  const lift = status.frozen ? 0 : status.lift_usd;
  return (
    <Card title="Effect">
      <p aria-live="polite" className="text-pretty font-medium text-sm">
        <Sentence pace={pace} limit={limit} lift={lift} freezes={freezes} />
      </p>
      <ol className="mt-4 space-y-2.5 border-t pt-3.5 text-sm">
        {steps.map((percent) => (
          <Step
            key={percent}
            percent={percent}
            amount={(limit * percent) / 100}
            crossing={crossingOf(pace, (limit * percent) / 100)}
            freezes={freezes && percent === 100 && lift === 0}
          />
        ))}
        {freezes && lift > 0 && (
          <Step percent={undefined} amount={limit + lift} crossing={crossingOf(pace, limit + lift)} freezes />
        )}
      </ol>
      <Today pace={pace} />
    </Card>
  );
}

interface SentenceProps {
  pace: Pace;
  limit: number;
  lift: number;
  freezes: boolean;
}

function Sentence({ pace, limit, lift, freezes }: SentenceProps) {
  const crossing = crossingOf(pace, freezes ? limit + lift : limit);
  if (crossing === 'reached') {
    return freezes
      ? `${formatMoney(pace.spent_usd)} is already spent. Saving this freezes the project immediately.`
      : `${formatMoney(pace.spent_usd)} is already spent. The budget is used up; nothing is blocked.`;
  }
  if (crossing === 'not_this_month') {
    const end = formatMoney(spentAt(pace, pace.month_end));
    return `At today’s pace, the month ends at ${end}, below the budget.`;
  }
  return (
    <>
      At today’s pace, {freezes ? 'the freeze starts' : 'the budget is used up'} on <Moment at={crossing} />.
    </>
  );
}

interface StepProps {
  percent: number | undefined;
  amount: number;
  crossing: Crossing;
  freezes: boolean;
}

/** One amount, and when it is reached. */
function Step({ percent, amount, crossing, freezes }: StepProps) {
  const reached = crossing === 'reached';
  const Icon = reached && !freezes ? Check : freezes ? Snowflake : BellRing;
  return (
    <li className="flex items-start gap-2.5">
      <Icon
        className={clsx('mt-0.5 size-4 shrink-0', freezes ? 'text-caution-ink' : 'text-ink-subtle')}
        aria-hidden="true"
      />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline justify-between gap-3">
          <span>
            {percent === undefined ? 'Limit and credit' : `${percent}%`}
            <span className="text-ink-muted">{freezes ? ', freeze' : ', alert'}</span>
          </span>
          <Money usd={amount} />
        </span>
        <span className="block text-ink-muted text-xs">
          {reached ? (
            'Reached this month'
          ) : crossing === 'not_this_month' ? (
            'Not this month'
          ) : (
            <Time at={new Date(crossing).toISOString()} form="moment" />
          )}
        </span>
      </span>
    </li>
  );
}

function Today({ pace }: { pace: Pace }) {
  return (
    <p className="mt-4 border-t pt-3 text-pretty text-ink-muted text-xs">
      Spent this month: <Money usd={pace.spent_usd} />. Running resources cost {formatMoney(pace.usd_per_hour)} per
      hour.
    </p>
  );
}
