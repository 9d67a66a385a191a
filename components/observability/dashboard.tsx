'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';

/** Resources, usage, requests, logs and incidents of a project. */
export const Dashboard = lazyPiece<object>(() => import('./dashboard-view').then((module) => module.default), {
  outline: 'h-112 w-full rounded-lg',
  label: 'dashboard',
});
