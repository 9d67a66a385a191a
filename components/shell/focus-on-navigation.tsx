'use client';

import { usePathname } from 'next/navigation';
import { useEffect, useRef } from 'react';

/** After a navigation the focus is on the new page's title, as it would be after a load; a filter does not move it. */
export function FocusOnNavigation() {
  const pathname = usePathname();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    document.getElementById('page-title')?.focus({ preventScroll: true });
  }, [pathname]);
  return null;
}
