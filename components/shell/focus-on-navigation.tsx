'use client';

import { usePathname } from 'next/navigation';
import { useEffect } from 'react';

/** The page shown last, by this tab: outlives the shell, which another project's pages mount anew. */
let shownBefore: string | undefined;

/** After a navigation the focus is on the new page's title, as it would be after a load; a filter does not move it. */
export function FocusOnNavigation() {
  const pathname = usePathname();
  useEffect(() => {
    if (shownBefore !== undefined && shownBefore !== pathname) {
      const target = document.getElementById('page-title') ?? document.getElementById('page');
      target?.focus({ preventScroll: true });
    }
    shownBefore = pathname;
  }, [pathname]);
  return null;
}
