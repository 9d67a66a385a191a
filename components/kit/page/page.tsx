'use client';

import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { type Crumb, useAnnouncedPlace, useRealm } from './place';

interface PageProps {
  title: string;
  /** What this page is for, in one sentence. */
  description?: ReactNode;
  /** Next to the title: a status, an id. */
  badge?: ReactNode;
  /** Buttons, the most wanted last. */
  actions?: ReactNode;
  /** The pages between the navigation's entry and this one: the instance whose console this is. */
  parents?: readonly Crumb[];
  /** Reading and forms are better narrow. They begin where every page begins. */
  narrow?: boolean;
  children: ReactNode;
}

/** A page: its title in the browser, in the breadcrumbs and as the one h1, its actions, its content. */
export function Page({ title, description, badge, actions, parents = [], narrow = false, children }: PageProps) {
  useAnnouncedPlace(title, parents);
  const site = useRealm() === 'backoffice' ? 'Nephele back office' : 'Nephele';
  return (
    <div className="mx-auto w-full max-w-[88rem] px-4 pt-6 pb-16 sm:px-6 lg:px-8">
      <title>{`${title} · ${site}`}</title>
      <header
        className={clsx('mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3', narrow && 'max-w-4xl')}
      >
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 id="page-title" tabIndex={-1} className="break-words font-semibold text-xl tracking-[-0.017em]">
              {title}
            </h1>
            {badge}
          </div>
          {description && <p className="mt-0.5 max-w-2xl text-pretty text-ink-muted text-sm">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {narrow ? <div className="max-w-4xl">{children}</div> : children}
    </div>
  );
}
