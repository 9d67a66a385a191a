import type { ReactNode } from 'react';

/** The visible name of the control with the id `htmlFor`. */
export function Label({ htmlFor, children }: { htmlFor: string; children: ReactNode }) {
  return (
    <label htmlFor={htmlFor} className="font-medium text-ink text-sm">
      {children}
    </label>
  );
}
