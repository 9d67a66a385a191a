import { LogOut, type LucideIcon, Monitor, Moon, Plus, Sun } from 'lucide-react';
import { type NavigationEntry, type NavigationGroup, pagesOf, tabbed } from '@/components/kit/page/navigation';
import { isOpenTo, type OperationId } from '@/lib/client/may';
import type { Project, Role } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { setTheme } from './theme';

/** One line of the command palette. */
export interface PaletteCommand {
  group: string;
  label: string;
  /** Where labels may be the same. */
  id?: string;
  /** Beside the label: the type of a resource. */
  detail?: string;
  /** Why it can't be used now. */
  disabledReason?: string | undefined;
  icon?: LucideIcon;
  keywords?: readonly string[];
  href?: string;
  run?: () => void;
}

/** Whether a role may use a page or an action. The API decides for itself; this only keeps dead ends off the screen. */
function isUseful({ operation }: { operation?: OperationId }, role: Role): boolean {
  return operation === undefined || isOpenTo(operation, role);
}

/** The groups as one role sees them; empty ones fall away. */
export function visibleTo(role: Role, groups: readonly NavigationGroup[]): NavigationGroup[] {
  return groups
    .map((group) => ({ ...group, entries: group.entries.flatMap((entry) => usefulTo(role, entry) ?? []) }))
    .filter((group) => group.entries.length > 0);
}

/** An entry with the tabs that are of use to a role; undefined if none is. */
function usefulTo(role: Role, entry: NavigationEntry): NavigationEntry | undefined {
  const [first, ...others] = pagesOf(entry).filter((page) => isUseful(page, role));
  if (first === undefined) return undefined;
  return others.length === 0 ? { ...first, label: entry.label } : tabbed([first, ...others], entry.label);
}

/** The person's own: their pages and the way out. */
interface OwnCommands {
  links: readonly { label: string; href: string; icon: LucideIcon }[];
  onSignOut: () => void;
}

function accountCommands({ links, onSignOut }: OwnCommands): PaletteCommand[] {
  const group = 'Account';
  return [...links.map((link) => ({ group, ...link })), { group, label: 'Sign out', icon: LogOut, run: onSignOut }];
}

/** Pages, what can be begun from anywhere, the other projects, the person's own, and the looks. */
export function portalCommands(
  groups: readonly NavigationGroup[],
  project: Project,
  projects: readonly Project[],
  own: OwnCommands,
): PaletteCommand[] {
  return [
    ...pageCommands(groups, project.slug, project.role),
    ...projects
      .filter((other) => other.id !== project.id)
      .map((other) => ({ group: 'Switch project', label: other.name, href: paths.overview(other.slug) })),
    ...accountCommands(own),
    ...appearanceCommands,
  ];
}

/** The same without projects. */
export function adminCommands(groups: readonly NavigationGroup[], own: OwnCommands): PaletteCommand[] {
  return [...pageCommands(groups, '', 'admin'), ...accountCommands(own), ...appearanceCommands];
}

function pageCommands(groups: readonly NavigationGroup[], project: string, role: Role): PaletteCommand[] {
  const entries = groups.flatMap((group) => group.entries.flatMap(pagesOf).map((entry) => ({ group, entry })));
  return [
    ...entries.flatMap(({ entry }) =>
      entry.create && isUseful(entry.create, role)
        ? [{ group: 'Actions', label: entry.create.label, icon: Plus, href: entry.create.href(project) }]
        : [],
    ),
    ...entries.map(({ group, entry }) => ({
      group: 'Go to',
      label: entry.label,
      icon: entry.icon,
      href: entry.href(project),
      keywords: [...(entry.keywords ?? []), group.label ?? ''],
    })),
  ];
}

/** The looks, which every place offers. */
export const appearanceCommands: readonly PaletteCommand[] = [
  { group: 'Appearance', label: 'Light', icon: Sun, keywords: ['theme'], run: () => setTheme('light') },
  { group: 'Appearance', label: 'Dark', icon: Moon, keywords: ['theme'], run: () => setTheme('dark') },
  { group: 'Appearance', label: 'System', icon: Monitor, keywords: ['theme'], run: () => setTheme('system') },
];
