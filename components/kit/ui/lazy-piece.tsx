'use client';

import type { ComponentType } from 'react';
import { lazyComponent } from './lazy-component';
import { Skeleton } from './skeleton';

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
  return lazyComponent<Props>(load, () => (
    <div aria-busy="true">
      <span className="sr-only">Loading the {label}</span>
      <Skeleton className={outline} />
    </div>
  ));
}

/** By then the first load of a page is over in nearly every case. */
const PROBABLY_IDLE_MS = 1000;

/** Safari has no `requestIdleCallback`. */
function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(run);
  else setTimeout(run, PROBABLY_IDLE_MS);
}

function loadedAgainWhenShown(): void {}
