'use client';

import { Skeleton } from '@/components/kit/ui/skeleton';
import type { Row } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { billedWhileRunning } from '@/lib/domains/compute/billed';
import { formatMoney } from '@/lib/format/money';
import { formatMonth } from '@/lib/format/time';
import { quote } from '@/lib/money/pricing/quote';
import { hoursOf } from '@/lib/money/rating/month';

interface FlavorPriceProps {
  flavor: Row<'/api/v1/compute/flavors'>;
  per: 'hour' | 'month';
}

/** What an instance of a flavor costs while it runs, its boot disk included. */
export function FlavorPrice({ flavor, per }: FlavorPriceProps) {
  const { data: card, error } = usePricing();
  if (error && !card) return <span className="text-ink-subtle">Unknown</span>;
  if (!card) return <Skeleton className="ml-auto h-3.5 w-14" />;
  const { usd_per_hour, usd_per_month } = quote(card, billedWhileRunning(flavor));
  const usd = per === 'hour' ? usd_per_hour : usd_per_month;
  return (
    <data value={usd} title={`${usd} USD`} className="whitespace-nowrap">
      {formatMoney(usd)}
    </data>
  );
}

/** What a price per month is of: "a month is the 720 hours of November". */
export function FlavorMonth() {
  const { data: card } = usePricing();
  return card ? `a month is ${hoursOf(card.month)} hours (${formatMonth(card.month, 'long')})` : 'with its boot disk';
}

function usePricing() {
  const { api } = useProject();
  return api.useQuery('get', '/api/v1/billing/pricing');
}
