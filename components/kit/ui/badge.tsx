import { clsx } from 'clsx';
import type { ComponentProps } from 'react';

const tones = {
  neutral: 'bg-hover text-ink-muted',
  accent: 'bg-accent-soft text-accent',
  positive: 'bg-positive-soft text-positive-ink',
  moving: 'bg-moving-soft text-moving-ink',
  caution: 'bg-caution-soft text-caution-ink',
  critical: 'bg-critical-soft text-critical-ink',
} as const;

export type Tone = keyof typeof tones;

export function Badge({ tone = 'neutral', className, ...rest }: ComponentProps<'span'> & { tone?: Tone }) {
  return (
    <span
      className={clsx(
        'inline-flex h-5 items-center gap-1 whitespace-nowrap rounded-sm px-1.5 font-medium text-xs [&_svg]:size-3',
        tones[tone],
        className,
      )}
      {...rest}
    />
  );
}
