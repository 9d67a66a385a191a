'use client';

import { usePathname } from 'next/navigation';
import { useEffect } from 'react';

/** The page shown last, by this tab: outlives the shell, which another project's pages mount anew. */
let shownBefore: string | undefined;

/** Moves the focus to the title of a new page, or leaves it in the field that a form focuses. A filter does not move it. */
export function FocusOnNavigation() {
  const pathname = usePathname();
  useEffect(() => {
    const inForm = document.activeElement?.closest('#page form') != null;
    if (shownBefore !== undefined && shownBefore !== pathname && !inForm) {
      const target = document.getElementById('page-title') ?? document.getElementById('page');
      target?.focus({ preventScroll: true });
    }
    shownBefore = pathname;
  }, [pathname]);
  return null;
}
