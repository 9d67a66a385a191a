import dynamic from 'next/dynamic';
import type { ComponentType, ReactNode } from 'react';
import { untilLoaded } from '@/lib/client/until-loaded';

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
