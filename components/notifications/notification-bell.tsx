'use client';

import { lazyComponent } from '@/components/kit/ui/lazy-component';

/** The bell, loaded after the page; its place is kept. */
export const NotificationBell = lazyComponent(
  () => import('./bell').then((module) => module.Bell),
  () => <span className="size-8" />,
);
