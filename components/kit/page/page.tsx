'use client';

import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { type Fact, Facts } from './facts';
import { type Crumb, useAnnouncedPlace, useRealm } from './place';

interface PageProps {
  title: string;
  /** What this page is for, in one sentence. */
  description?: ReactNode;
  /** Next to the title: a status, an id. */
  badge?: ReactNode;
  /** In place of the title, while it is edited. */
  titleField?: ReactNode;
  /** The key facts of a resource. */
  facts?: readonly Fact[];
  /** Buttons, the most wanted last. */
  actions?: ReactNode;
  /** The pages between the navigation's entry and this one: the instance whose console this is. */
  parents?: readonly Crumb[];
  /** Reading and forms are better narrow. They begin where every page begins. */
  narrow?: boolean;
  /** Diagrams and editors use the whole width of the screen. */
  full?: boolean;
  children: ReactNode;
}

/** A page: its title in the browser, in the breadcrumbs and as the one h1, its actions, its content. */
export function Page(props: PageProps) {
  const { title, description, badge, titleField, facts, actions, children } = props;
  const { parents = [], narrow = false, full = false } = props;
  useAnnouncedPlace(title, parents);
  const site = useRealm() === 'backoffice' ? 'Nephele back office' : 'Nephele';
  return (
    <div
      data-full={full ? '' : undefined}
      className={clsx('mx-auto w-full px-4 pt-6 pb-16 sm:px-6 lg:px-8', !full && 'max-w-[88rem]')}
    >
      <title>{`${title} · ${site}`}</title>
      <header
        className={clsx('mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3', narrow && 'max-w-4xl')}
      >
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1
              id="page-title"
              tabIndex={-1}
              className={titleField ? 'sr-only' : 'min-w-0 wrap-anywhere font-semibold text-xl tracking-[-0.017em]'}
            >
              {title}
            </h1>
            {titleField}
            {badge}
          </div>
          {description && <p className="mt-0.5 max-w-2xl text-pretty text-ink-muted text-sm">{description}</p>}
          {facts && <Facts facts={facts} />}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {narrow ? <div className="max-w-4xl">{children}</div> : children}
    </div>
  );
}
