import { Skeleton } from '@/components/kit/ui/skeleton';

/** The outline of a page, at once, while the page itself is on its way. */
export default function Loading() {
  return (
    <div className="mx-auto w-full max-w-[88rem] px-4 pt-6 sm:px-6 lg:px-8" aria-busy="true">
      <span className="sr-only">Loading the page</span>
      <Skeleton className="h-7 w-40" />
      <Skeleton className="mt-2 h-4 w-72 max-w-full" />
      <Skeleton className="mt-8 h-8 w-72 max-w-full" />
      <Skeleton className="mt-3 h-72 w-full rounded-lg" />
    </div>
  );
}
