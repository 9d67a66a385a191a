import { type NavigationEntry, type NavigationGroup, pagesOf, tabbed } from '@/components/kit/page/navigation';
import { isOpenTo, type OperationId } from '@/lib/client/may';
import type { Role } from '@/lib/client/project';

/** Whether a role may use a page or an action. The API decides for itself; this only keeps dead ends off the screen. */
export function isUseful({ operation }: { operation?: OperationId }, role: Role): boolean {
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
