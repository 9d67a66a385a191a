'use client';

import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { formatMoney } from '@/lib/format/money';
import { formatMonth } from '@/lib/format/time';
import { type Claim, quote } from '@/lib/money/pricing/quote';
import { hoursOf } from '@/lib/money/rating/month';

export interface ClaimsPriceProps {
  claims: readonly Claim[];
  per: 'hour' | 'month';
}

/** The price of billed amounts at this month's rates. */
export function ClaimsPrice({ claims, per }: ClaimsPriceProps) {
  const { data: card, error } = usePricing();
  if (error && !card) return <span className="text-ink-subtle">Unknown</span>;
  if (!card) return <Skeleton className="h-3.5 w-14 sm:ml-auto" />;
  const { usd_per_hour, usd_per_month } = quote(card, claims);
  const usd = per === 'hour' ? usd_per_hour : usd_per_month;
  return (
    <data value={usd} title={`${usd} USD`} className="whitespace-nowrap">
      {formatMoney(usd)}
    </data>
  );
}

/** The month of a price: "a month is 720 hours (November 2026)". */
export function PricedMonth() {
  const { data: card } = usePricing();
  return card ? `a month is ${hoursOf(card.month)} hours (${formatMonth(card.month, 'long')})` : 'with the boot disk';
}

function usePricing() {
  const { api } = useProject();
  return api.useQuery('get', '/api/v1/billing/pricing');
}
