'use client';

import { clsx } from 'clsx';
import { BookOpen, Menu as MenuIcon, Search } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import { Mark, Wordmark } from '@/components/brand/logo';
import { ConfirmProvider } from '@/components/kit/page/confirm';
import type { NavigationGroup } from '@/components/kit/page/navigation';
import { PlaceProvider, type Realm } from '@/components/kit/page/place';
import { Button, ButtonLink } from '@/components/kit/ui/button';
import { CommandKey, Key } from '@/components/kit/ui/keyboard';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { ToastHost } from '@/components/kit/ui/notify';
import { TooltipHost } from '@/components/kit/ui/tooltip';
import { paths } from '@/lib/paths';
import { Breadcrumbs } from './breadcrumbs';
import type { CommandSource } from './commands';
import { FocusOnNavigation } from './focus-on-navigation';
import { SectionTabs } from './section-tabs';
import { Sidebar } from './sidebar';
import { usePalette } from './use-palette';

const PageWatchers = lazyComponent(() => import('./page-watchers').then((module) => module.PageWatchers));
// The palette and the drawer are loaded when they are first opened, and stay for the next time.
const CommandPalette = lazyComponent(
  () => import('./command-palette').then((module) => module.CommandPalette),
  () => (
    <p
      role="status"
      className="pointer-events-none fixed top-[max(5dvh,calc(40dvh-16rem))] left-1/2 z-50 -translate-x-1/2 rounded-xl border bg-raised p-4 shadow-dialog"
    >
      Loading the search…
    </p>
  ),
);
const Shortcuts = lazyComponent(() => import('./shortcuts').then((module) => module.Shortcuts));
const Drawer = lazyComponent(() => import('@/components/kit/ui/dialog').then((module) => module.Dialog));

type Opened = 'never' | 'open' | 'closed';

interface ShellProps {
  /** The back office looks like another place: its colours, and a band on top that says where one is. */
  realm: Realm;
  groups: readonly NavigationGroup[];
  project: string;
  home: string;
  commands: CommandSource;
  /** Above the navigation, such as the project switcher. */
  sidebarHead?: ReactNode;
  /** At the right end of the top bar. */
  userMenu: ReactNode;
  children: ReactNode;
}

/** The frame of every page: navigation at the left, the way here and the search on top, the page below. */
export function Shell({ realm, groups, project, home, commands, sidebarHead, userMenu, children }: ShellProps) {
  const [drawer, setDrawer] = useState<Opened>('never');
  const palette = usePalette();
  const pathname = usePathname();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page is the reason to close
  useEffect(() => setDrawer((now) => (now === 'open' ? 'closed' : now)), [pathname]);

  const place = sidebarHead && <div className="px-3 pt-3">{sidebarHead}</div>;
  return (
    <ConfirmProvider>
      <PlaceProvider realm={realm}>
        <a
          href="#page"
          className="-translate-y-16 fixed top-2 left-2 z-60 rounded-md bg-accent px-3 py-2 font-medium text-accent-ink text-sm focus:translate-y-0"
        >
          Skip to content
        </a>
        <div data-realm={realm} className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
          <div className="sky sticky top-0 hidden h-dvh border-r lg:block">
            <Sidebar
              groups={groups}
              project={project}
              head={
                <>
                  <div className="flex h-12 shrink-0 items-center px-5">
                    <Link href={home} aria-label="Nephele, overview" className="rounded-sm">
                      <Wordmark />
                    </Link>
                  </div>
                  {place}
                </>
              }
            />
          </div>
          <div className="group/frame min-w-0">
            <header
              className={clsx(
                'sticky top-0 z-30 flex h-12 items-center gap-3 border-b px-4 sm:px-6 lg:px-8',
                realm === 'backoffice' ? 'dark-island bg-band text-band-ink' : 'bg-canvas/85 backdrop-blur-md',
              )}
            >
              <Button
                variant="quiet"
                size="icon"
                aria-label="Open navigation"
                className="-ml-2 lg:hidden"
                onClick={() => setDrawer('open')}
              >
                <MenuIcon />
              </Button>
              <Link href={home} aria-label="Nephele, overview" className="rounded-sm lg:hidden">
                <Mark size={20} />
              </Link>
              {realm === 'backoffice' && (
                <span className="shrink-0 rounded-sm bg-band-ink px-1.5 py-0.5 font-semibold text-band text-xs">
                  Back office
                </span>
              )}
              <div className="min-w-0 flex-1">
                <Breadcrumbs groups={groups} project={project} />
              </div>
              <button
                type="button"
                onClick={() => palette.setOpen(true)}
                className="hidden h-8 w-56 items-center gap-2 rounded-md border px-2.5 text-ink-subtle text-sm transition-colors duration-100 hover:border-line-strong in-data-[realm=backoffice]:text-band-ink in-data-[realm=portal]:bg-surface md:flex"
              >
                <Search className="size-4" aria-hidden="true" />
                <span className="flex-1 text-left">Go to…</span>
                <span className="flex gap-1" aria-hidden="true">
                  <CommandKey />
                  <Key>K</Key>
                </span>
              </button>
              <Button
                variant="quiet"
                size="icon"
                aria-label="Go to…"
                className="md:hidden"
                onClick={() => palette.setOpen(true)}
              >
                <Search />
              </Button>
              {home !== paths.apiReference() && (
                <ButtonLink
                  variant="quiet"
                  size="icon"
                  href={paths.apiReference()}
                  prefetch={false}
                  aria-label="API reference"
                  className="max-sm:hidden"
                >
                  <BookOpen />
                </ButtonLink>
              )}
              {userMenu}
            </header>
            <SectionTabs groups={groups} project={project} />
            <main id="page" tabIndex={-1} className="outline-none">
              {children}
            </main>
          </div>
        </div>
        {drawer !== 'never' && (
          <Drawer
            open={drawer === 'open'}
            onOpenChange={(open) => setDrawer(open ? 'open' : 'closed')}
            form="drawer"
            title={<Wordmark />}
          >
            <Sidebar groups={groups} project={project} head={place} />
          </Drawer>
        )}
        {palette.state !== 'never' && <CommandPalette commands={commands} palette={palette} />}
        <Shortcuts groups={groups} project={project} />
        <FocusOnNavigation />
        <PageWatchers />
        <ToastHost />
        <TooltipHost />
      </PlaceProvider>
    </ConfirmProvider>
  );
}
