import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import type { ComponentProps } from 'react';

type Props = Omit<ComponentProps<'input'>, 'type'>;

// Native inputs, drawn: the browser brings keyboard, forms and assistive technology, for no script at all.
const box = clsx(
  'peer shrink-0 appearance-none border border-line-strong shadow-control transition-colors duration-100',
  'checked:border-accent checked:bg-accent disabled:cursor-not-allowed disabled:opacity-50',
  'aria-invalid:border-critical',
);

export function Checkbox({ className, ...rest }: Props) {
  return (
    <span className={clsx('relative inline-grid size-4 shrink-0 place-items-center', className)}>
      <input
        type="checkbox"
        className={clsx(box, 'absolute inset-0 rounded-sm bg-surface indeterminate:bg-accent')}
        {...rest}
      />
      <Check
        className="pointer-events-none relative hidden size-3 stroke-3 text-accent-ink peer-checked:block"
        aria-hidden="true"
      />
    </span>
  );
}

export function Radio({ className, ...rest }: Props) {
  return (
    <span className={clsx('relative inline-grid size-4 shrink-0 place-items-center', className)}>
      <input type="radio" className={clsx(box, 'absolute inset-0 rounded-full bg-surface')} {...rest} />
      <span className="pointer-events-none relative hidden size-1.5 rounded-full bg-accent-ink peer-checked:block" />
    </span>
  );
}

export function Switch({ className, ...rest }: Props) {
  return (
    <span className={clsx('relative inline-flex h-5 w-9 shrink-0', className)}>
      <input
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells its state itself
        role="switch"
        className={clsx(box, 'absolute inset-0 rounded-full bg-line-strong checked:bg-accent')}
        {...rest}
      />
      <span className="pointer-events-none absolute top-0.5 left-0.5 size-4 rounded-full bg-canvas shadow-control transition-transform duration-150 ease-settle peer-checked:translate-x-4" />
    </span>
  );
}
