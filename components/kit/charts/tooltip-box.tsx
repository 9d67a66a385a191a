import type { ReactNode } from 'react';

/** The tooltip of a chart. */
export function TooltipBox({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-md border bg-raised px-2.5 py-1.5 text-xs shadow-raised">
      <p className="text-ink-muted">{title}</p>
      {children}
    </div>
  );
}
