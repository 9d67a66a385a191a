import { clsx } from 'clsx';
import type { ComponentProps, ReactNode } from 'react';

interface CardProps extends Omit<ComponentProps<'section'>, 'title'> {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Content that brings its own edges, such as a table. */
  flush?: boolean;
}

/** A bounded group of one page. With a title it is a section under an h2. */
export function Card({ title, description, actions, flush = false, className, children, ...rest }: CardProps) {
  return (
    <section className={clsx('min-w-0 rounded-lg border bg-surface', className)} {...rest}>
      {title && (
        <header
          className={clsx(
            'flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3',
            children !== undefined && 'border-b',
          )}
        >
          <div className="min-w-0">
            <h2 className="font-semibold text-base tracking-[-0.006em]">{title}</h2>
            {description && <p className="mt-0.5 text-ink-muted text-sm">{description}</p>}
          </div>
          {actions && <div className="flex items-center gap-2">{actions}</div>}
        </header>
      )}
      {children !== undefined && <div className={flush ? undefined : 'p-4'}>{children}</div>}
    </section>
  );
}
