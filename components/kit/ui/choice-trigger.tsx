import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { control } from './input';

interface ChoiceTriggerProps extends ComponentProps<'button'> {
  /** Whether the text is a placeholder. */
  empty: boolean;
  children: ReactNode;
}

/** The closed state of a select or combobox: the chosen value on a button that opens the list. */
export function ChoiceTrigger({ empty, className, children, ...rest }: ChoiceTriggerProps) {
  return (
    <button
      type="button"
      role="combobox"
      aria-expanded="false"
      className={clsx(
        control,
        'flex h-8 items-center justify-between gap-2 text-left pointer-coarse:h-10',
        empty && 'text-ink-subtle',
        className,
      )}
      {...rest}
    >
      <span className="truncate">{children}</span>
      <ChevronDown className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
    </button>
  );
}
