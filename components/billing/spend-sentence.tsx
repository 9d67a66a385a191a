'use client';

import { formatMoney } from '@/lib/format/money';
import { formatMonth } from '@/lib/format/time';
import { Moment } from './moment';
import type { Overview } from './spend-series';

/** What the picture of the month shows, in words. */
export function SpendSentence({ overview }: { overview: Overview }) {
  const { month, forecast_usd, budget } = overview;
  const { monthly_limit_usd: limit, status } = budget;
  const forecast = `At today’s pace, ${formatMonth(month, 'long')} will cost ${formatMoney(forecast_usd)}`;
  if (limit === null) return `${forecast}. No budget set.`;
  if (status.frozen) {
    return `${forecast}. The budget of ${formatMoney(limit)} is used up, and the project is frozen until the month ends.`;
  }
  if (status.freezes_at !== null) {
    const credited = status.lift_usd > 0 ? ` plus ${formatMoney(status.lift_usd)} of credit is` : ' is';
    return (
      <>
        {forecast}. The freeze starts on <Moment at={status.freezes_at} />, when the budget of {formatMoney(limit)}
        {credited} used up.
      </>
    );
  }
  if (status.reached_at === null) return `${forecast}, below the budget of ${formatMoney(limit)}.`;
  const past = Date.parse(status.reached_at) <= Date.parse(overview.as_of);
  return (
    <>
      {forecast}. The budget of {formatMoney(limit)} {past ? 'was' : 'will be'} used up on{' '}
      <Moment at={status.reached_at} />.
    </>
  );
}
