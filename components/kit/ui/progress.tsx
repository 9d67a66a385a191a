import { clsx } from 'clsx';

interface ProgressProps {
  label: string;
  /** 0 to 1; absent while nobody knows. */
  share?: number;
  className?: string;
}

/** How far something has come, such as an upload. */
export function Progress({ label, share, className }: ProgressProps) {
  const percent = share === undefined ? undefined : Math.round(share * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={clsx('h-1.5 overflow-hidden rounded-full bg-hover', className)}
    >
      <div
        className={clsx(
          'h-full rounded-full bg-moving transition-[width] duration-300 ease-settle',
          percent === undefined && 'w-1/3 animate-pulse',
        )}
        style={percent === undefined ? undefined : { width: `${percent}%` }}
      />
    </div>
  );
}
