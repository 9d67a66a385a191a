'use client';

import { clsx } from 'clsx';
import { ChevronRight, Pin, PinOff } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { findPlace, type NavigationEntry, type NavigationGroup } from '@/components/kit/page/navigation';
import { toggle, useNavigationMemory } from '@/lib/client/navigation-memory';

interface SidebarProps {
  groups: readonly NavigationGroup[];
  project: string;
  /** Above the groups: the brand, and where one is. */
  head: ReactNode;
}

/** How many resources "Recent" shows. */
const MOST_RECENT = 3;

/** The pages in groups, pinned and recent ones on top. Wide screens have it at the left, narrow ones in a drawer. */
export function Sidebar({ groups, project, head }: SidebarProps) {
  const pathname = usePathname();
  const { closed, pinned, visits } = useNavigationMemory();
  const here = findPlace(groups, project, pathname);
  // Portal, back office and reference have groups of the same name.
  const [, realm = ''] = pathname.split('/');
  const nameOf = (label: string) => `${realm}/${label}`;
  const active = here?.group.label === undefined ? undefined : nameOf(here.group.label);

  // A group opens for the page that is shown; it can be closed again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is the reason to open
  useEffect(() => {
    if (active !== undefined) toggle('closed', active, false);
  }, [active, pathname]);

  const entries = groups.flatMap((group) => group.entries);
  const pins = entries.filter(({ label }) => pinned.includes(nameOf(label)));
  const recent = visits
    .filter(({ href, ...visit }) => visit.project === project && href.startsWith(`/${realm}/`) && href !== pathname)
    .slice(0, MOST_RECENT);
  return (
    <nav aria-label="Main" className="flex h-full flex-col">
      {head}
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-3 pt-3 pb-6">
        {pins.length > 0 && (
          <Section label="Pinned">
            {pins.map((entry) => (
              <Entry key={entry.label} entry={entry} name={nameOf(entry.label)} href={entry.href(project)} pinned />
            ))}
          </Section>
        )}
        {recent.length > 0 && (
          <Section label="Recent">
            {recent.map(({ href, label }) => {
              const icon = findPlace(groups, project, href)?.page.icon;
              return icon && <Item key={href} href={href} label={label} icon={icon} />;
            })}
          </Section>
        )}
        {groups.map((group) => (
          <Section
            key={group.label ?? ''}
            label={group.label}
            {...(group.label !== undefined && {
              name: nameOf(group.label),
              open: !closed.includes(nameOf(group.label)),
            })}
          >
            {group.entries.map((entry) => (
              <Entry
                key={entry.label}
                entry={entry}
                name={nameOf(entry.label)}
                href={entry.href(project)}
                current={entry === here?.entry}
                pinned={pinned.includes(nameOf(entry.label))}
              />
            ))}
          </Section>
        ))}
      </div>
    </nav>
  );
}

interface SectionProps {
  label: string | undefined;
  /** What it is remembered by, if it can be closed. */
  name?: string;
  open?: boolean;
  children: ReactNode;
}

function Section({ label, name, open = true, children }: SectionProps) {
  const id = useId();
  return (
    <div className="mb-3 last:mb-0">
      {label !== undefined && (
        <h2 className="font-medium text-ink-subtle text-xs">
          {name === undefined ? (
            <span className="flex h-7 items-center px-2">{label}</span>
          ) : (
            <button
              type="button"
              aria-expanded={open}
              aria-controls={id}
              onClick={() => toggle('closed', name, open)}
              className="flex h-7 w-full items-center gap-1 rounded-md px-2 text-left hover:text-ink pointer-coarse:h-10"
            >
              <span className="flex-1">{label}</span>
              <ChevronRight
                className={clsx('size-3.5 transition-transform duration-100', open && 'rotate-90')}
                aria-hidden="true"
              />
            </button>
          )}
        </h2>
      )}
      <ul id={id} className="space-y-px" hidden={!open}>
        {children}
      </ul>
    </div>
  );
}

interface EntryProps {
  entry: NavigationEntry;
  /** What its pin is remembered by. */
  name: string;
  href: string;
  current?: boolean;
  pinned: boolean;
}

/** A page, and the button that pins it. */
function Entry({ entry: { label, icon }, name, href, current = false, pinned }: EntryProps) {
  const PinIcon = pinned ? PinOff : Pin;
  return (
    <Item href={href} label={label} icon={icon} current={current}>
      <button
        type="button"
        aria-label={`${pinned ? 'Unpin' : 'Pin'} ${label}`}
        onClick={() => toggle('pinned', name, !pinned)}
        className="absolute inset-y-0 right-0 grid w-7 place-items-center rounded-md text-ink-subtle opacity-0 hover:text-ink focus-visible:opacity-100 group-hover/item:opacity-100 pointer-coarse:w-10 pointer-coarse:opacity-60"
      >
        <PinIcon className="size-3.5" aria-hidden="true" />
      </button>
    </Item>
  );
}

interface ItemProps extends Pick<NavigationEntry, 'label' | 'icon'> {
  href: string;
  current?: boolean;
  children?: ReactNode;
}

function Item({ href, label, icon: Icon, current = false, children }: ItemProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (current) item.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <li ref={item} className="group/item relative">
      <Link
        href={href}
        aria-current={current ? 'page' : undefined}
        className={clsx(
          'flex h-7.5 items-center gap-2.5 rounded-md pr-7 pl-2 text-sm transition-colors duration-75 pointer-coarse:h-10 pointer-coarse:pr-10',
          current ? 'bg-accent-soft font-medium text-ink' : 'text-ink-muted hover:bg-hover hover:text-ink',
        )}
      >
        <Icon className={clsx('size-4 shrink-0', current ? 'text-accent' : 'text-ink-subtle')} aria-hidden="true" />
        <span className="truncate">{label}</span>
      </Link>
      {children}
    </li>
  );
}
