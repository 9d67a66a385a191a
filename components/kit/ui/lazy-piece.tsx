'use client';

import dynamic from 'next/dynamic';
import type { ComponentType } from 'react';
import { Skeleton } from './skeleton';
import { whenReachable } from './when-reachable';

interface PieceOptions {
  /** Size of the placeholder, as classes. */
  outline: string;
  /** Named in the placeholder: "code editor". */
  label: string;
}

/**
 * A heavy component as a chunk of its own. A page that imports it fetches the chunk once the browser is idle: the first
 * load stays light, and a tab or dialog with the component opens at once.
 */
export function lazyPiece<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { outline, label }: PieceOptions,
): ComponentType<Props> {
  if (typeof window !== 'undefined') whenIdle(() => void load().catch(loadedAgainWhenShown));
  return dynamic<Props>(() => whenReachable(load), {
    ssr: false,
    loading: () => (
      <div aria-busy="true">
        <span className="sr-only">Loading the {label}</span>
        <Skeleton className={outline} />
      </div>
    ),
  });
}

/** Safari has no idle callback: a second after the page is as good. */
function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(run);
  else setTimeout(run, 1000);
}

function loadedAgainWhenShown(): void {}
