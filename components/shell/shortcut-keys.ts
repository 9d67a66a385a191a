import { type NavigationGroup, pagesOf } from '@/components/kit/page/navigation';

/** A page that `g` and a letter open. */
export interface PageShortcut {
  letter: string;
  label: string;
  href: string;
}

/** The pages that have a letter. */
export function pageShortcuts(groups: readonly NavigationGroup[], project: string): PageShortcut[] {
  return groups
    .flatMap((group) => group.entries.flatMap(pagesOf))
    .flatMap(({ shortcut, label, href }) =>
      shortcut === undefined ? [] : [{ letter: shortcut, label, href: href(project) }],
    );
}
