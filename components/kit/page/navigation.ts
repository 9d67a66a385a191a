import type { LucideIcon } from 'lucide-react';
import type { OperationId } from '@/lib/client/may';

/** A page in the navigation and in the command palette. */
export interface NavigationEntry {
  label: string;
  icon: LucideIcon;
  href: (project: string) => string;
  /** What the page reads, if not every role may. */
  operation?: OperationId;
  /** Other words that people look for: "vm", "server". */
  keywords?: readonly string[];
  /** What can be begun from anywhere: "Create secret". */
  create?: CreateAction;
}

/** A form that creates something, and what it calls. */
export interface CreateAction {
  label: string;
  href: (project: string) => string;
  operation: OperationId;
}

/** A type of resource: its list in the navigation, and its name in sentences. */
export interface ResourceKind extends NavigationEntry {
  /** One of them, in lower case: "secret". */
  noun: string;
  /** Several of them, where an s does not do. */
  nouns?: string;
}

export interface NavigationGroup {
  /** Absent for what stands above all groups. */
  label?: string;
  entries: readonly NavigationEntry[];
}

/**
 * The entry that an address belongs to: the one with the longest address that it begins with. Every page's address
 * begins with the overview's, to which none of them belongs.
 */
export function findPlace(
  groups: readonly NavigationGroup[],
  project: string,
  pathname: string,
): { group: NavigationGroup; entry: NavigationEntry } | undefined {
  const all = groups.flatMap((group) => group.entries.map((entry) => ({ group, entry })));
  return all
    .filter(
      ({ group, entry }) =>
        pathname === entry.href(project) || (group.label && pathname.startsWith(`${entry.href(project)}/`)),
    )
    .sort((one, other) => other.entry.href(project).length - one.entry.href(project).length)[0];
}
