import type { IconComponent } from '@/components/kit/ui/kind-icon';
import type { OperationId } from '@/lib/client/may';

/** A page in the navigation and in the command palette. */
export interface NavigationEntry {
  label: string;
  /** Its whole name, where the label is shorter below the name of its group. */
  title?: string;
  icon: IconComponent;
  href: (project: string) => string;
  /** What the page reads, if not every role may. */
  operation?: OperationId;
  /** Other words that people look for: "vm", "server". */
  keywords?: readonly string[];
  /** The letter that opens the page after `g`. */
  shortcut?: string;
  /** What can be begun from anywhere: "Create secret". */
  create?: CreateAction;
  /** The pages that this entry stands for, the first of which it leads to. Each list has tabs that lead to the others. */
  tabs?: readonly NavigationEntry[];
}

/** A form that creates something, and what it calls. */
export interface CreateAction {
  label: string;
  href: (project: string) => string;
  operation: OperationId;
}

/** What resources of a type report besides logs, which all of them have. */
export interface Telemetry {
  metrics?: boolean;
}

/** A type of resource: its list in the navigation, and its name in sentences. */
export interface ResourceKind extends NavigationEntry {
  /** One of them, in lower case: "secret". */
  noun: string;
  /** Several of them, where an s does not do. */
  nouns?: string;
  /** Where search, bills and notifications lead. */
  found?: {
    /** The type in the API, such as "load_balancer". */
    type: string;
    /** The page of one; for a type without such pages, its list with this one in it. */
    one: (project: string, id: string, search: { search: string } | undefined) => string;
  };
  /** The type in the API of resources that have a page: it shows their tags. */
  type?: string;
  telemetry?: Telemetry;
}

export interface NavigationGroup {
  /** Absent for what stands above all groups. */
  label?: string;
  entries: readonly NavigationEntry[];
}

/** Pages that belong together as one entry of the navigation; it is called like the first, unless it has a name of its own. */
export function tabbed(tabs: readonly [NavigationEntry, ...NavigationEntry[]], label = tabs[0].label): NavigationEntry {
  const { icon, href } = tabs[0];
  return { label, icon, href, tabs };
}

/** The pages of an entry. */
export function pagesOf(entry: NavigationEntry): readonly NavigationEntry[] {
  return entry.tabs ?? [entry];
}

/** Where an address belongs in the navigation. */
export interface NavigationPlace {
  group: NavigationGroup;
  entry: NavigationEntry;
  /** The entry's page, or one of its tabs. */
  page: NavigationEntry;
}

/**
 * The page that an address belongs to: the one with the longest address that it begins with. Every page's address
 * begins with the overview's, to which none of them belongs.
 */
export function findPlace(
  groups: readonly NavigationGroup[],
  project: string,
  pathname: string,
): NavigationPlace | undefined {
  const all = groups.flatMap((group) =>
    group.entries.flatMap((entry) => pagesOf(entry).map((page) => ({ group, entry, page }))),
  );
  return all
    .filter(
      ({ group, page }) =>
        pathname === page.href(project) || (group.label && pathname.startsWith(`${page.href(project)}/`)),
    )
    .sort((one, other) => other.page.href(project).length - one.page.href(project).length)[0];
}
