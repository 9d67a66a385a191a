import { columnsOf } from '@/components/kit/table/data-table';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import type { Claim } from '@/lib/money/pricing/quote';
import type { ClaimsPriceProps } from './claims-price';

/** Loaded after the page: it calculates with the rate card. */
export const LazyPrice = lazyComponent<ClaimsPriceProps>(
  () => import('./claims-price').then((module) => module.ClaimsPrice),
  () => <Skeleton className="h-3.5 w-14 sm:ml-auto" />,
);

/** The monthly price of a row in its current state. */
export function priceColumn<R extends object>(claims: (row: R) => readonly Claim[]) {
  return columnsOf<R>().display({
    id: 'price',
    header: 'Per month',
    meta: { align: 'right' },
    cell: ({ row: { original } }) => <LazyPrice claims={claims(original)} per="month" />,
  });
}
