import dynamic from 'next/dynamic';
import type { ComponentType, ReactNode } from 'react';

/** Pause before the next attempt to load a chunk: soon enough to seem immediate, rare enough not to press a server that starts. */
const RETRY_MS = 1500;

/**
 * A component in a chunk of its own, loaded when it is first shown. While the server can't be reached, loading is
 * retried: an error would replace the page, and the form that someone is filling in.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading?: () => ReactNode,
): ComponentType<Props> {
  return dynamic<Props>(() => untilLoaded(load), { ssr: false, ...(loading && { loading }) });
}

async function untilLoaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (typeof window === 'undefined') throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
