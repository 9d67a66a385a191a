import type { ReactNode } from 'react';

interface SmallFieldProps {
  label: string;
  htmlFor: string;
  className: string;
  children: ReactNode;
}

/** A control of a toolbar with its name above it. */
export function SmallField({ label, htmlFor, className, children }: SmallFieldProps) {
  return (
    <div className={className}>
      <label htmlFor={htmlFor} className="mb-1 block text-ink-muted text-xs">
        {label}
      </label>
      {children}
    </div>
  );
}
