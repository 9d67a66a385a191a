import { LogOut, Monitor, Moon, Plus, Sun } from 'lucide-react';
import { type NavigationGroup, pagesOf } from '@/components/kit/page/navigation';
import type { IconComponent } from '@/components/kit/ui/kind-icon';
import type { Project, Role } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { setTheme } from './theme';
import { isUseful } from './visible';

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
  icon?: IconComponent;
  keywords?: readonly string[];
  href?: string;
  run?: () => void;
}

/** The person's own: their pages and the way out. */
interface OwnCommands {
  links: readonly { label: string; href: string; icon: IconComponent }[];
  onSignOut: () => void;
}

function accountCommands({ links, onSignOut }: OwnCommands): PaletteCommand[] {
  const group = 'Account';
  return [
    ...links.map((link) => ({ group, keywords: ['account'], ...link })),
    { group, label: 'Sign out', icon: LogOut, run: onSignOut },
  ];
}

/** The parts of a shell's commands. The palette builds the commands when it is first opened. */
export interface CommandSource {
  /** Their pages and what can be created there. */
  groups?: readonly NavigationGroup[];
  /** None in the back office and on public pages. */
  project?: Project;
  /** All projects of the person, to switch to. */
  projects?: readonly Project[];
  own?: OwnCommands;
  /** Pages that are in no group. */
  pages?: readonly PaletteCommand[];
}

/** The commands of a shell: pages, what can be begun from anywhere, the other projects, the person's own, and the looks. */
export function commandsOf({ groups = [], project, projects = [], own, pages = [] }: CommandSource): PaletteCommand[] {
  return [
    ...pages,
    ...pageCommands(groups, project?.slug ?? '', project?.role ?? 'admin'),
    ...projects
      .filter(({ id }) => id !== project?.id)
      .map((other) => ({ group: 'Switch project', label: other.name, href: paths.overview(other.slug) })),
    ...(own ? accountCommands(own) : []),
    ...appearanceCommands,
  ];
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
const appearanceCommands: readonly PaletteCommand[] = [
  { group: 'Appearance', label: 'Light', icon: Sun, keywords: ['theme'], run: () => setTheme('light') },
  { group: 'Appearance', label: 'Dark', icon: Moon, keywords: ['theme'], run: () => setTheme('dark') },
  { group: 'Appearance', label: 'System', icon: Monitor, keywords: ['theme'], run: () => setTheme('system') },
];
