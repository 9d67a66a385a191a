'use client';

import { useEffect, useState } from 'react';
import { useNow } from '@/components/kit/data/clock';
import { type Pace, spentAt } from './pace';
import type { Overview } from './spend-series';

/**
 * What is spent now: what the platform said, and what has run on since it said so by the browser's own clock, which need
 * not agree with the platform's. Between two answers this moves as the bill does.
 */
export function useSpentNow(overview: Overview, pace: Pace): number {
  const [readAt, setReadAt] = useState<number>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer is what begins anew
  useEffect(() => setReadAt(Date.now()), [overview.as_of]);
  const now = useNow();
  const passed = now === undefined || readAt === undefined ? 0 : Math.max(0, now - readAt);
  return spentAt(pace, pace.at + passed);
}
