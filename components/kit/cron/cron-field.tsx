'use client';

import { lazyPiece } from '@/components/kit/ui/lazy-piece';
import type { CronFieldProps } from './cron-field-view';

/** A field for a recurring schedule. */
export const CronField = lazyPiece<CronFieldProps>(() => import('./cron-field-view').then((module) => module.default), {
  outline: 'h-28 w-full',
  label: 'schedule',
});
