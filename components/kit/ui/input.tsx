import { clsx } from 'clsx';
import type { ComponentProps } from 'react';

// 16 px under a finger: below that, phones zoom the page into the field.
export const control = clsx(
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm shadow-control pointer-coarse:text-lg',
  'placeholder:text-ink-subtle transition-colors duration-100',
  'focus-visible:border-focus focus-visible:outline-offset-0',
  'disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-subtle',
  'aria-invalid:border-critical aria-invalid:focus-visible:outline-critical',
);

export function Input({ className, type = 'text', ...rest }: ComponentProps<'input'>) {
  return <input type={type} className={clsx(control, 'h-8 pointer-coarse:h-10', className)} {...rest} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={clsx(control, 'min-h-20 py-1.5 leading-5', className)} {...rest} />;
}
