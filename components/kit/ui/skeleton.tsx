import { clsx } from 'clsx';

/** A place kept for what is still on its way. Size it as the thing it stands for, so that nothing moves. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span data-skeleton="" aria-hidden="true" className={clsx('block animate-pulse rounded-sm bg-hover', className)} />
  );
}
