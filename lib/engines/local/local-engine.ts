import type { ComputeEngine } from '@/lib/compute/engine';
import type { ImageEngine } from '@/lib/images/engine';
import { LocalCompute } from './compute/local-compute';
import { describeHost, type LocalEngineOptions } from './host';
import { LocalImages } from './images/local-images';

export type LocalEngine = { compute: ComputeEngine; images: ImageEngine };

/** The engine of this machine. Opening it touches nothing; every part makes what it needs when it is first asked. */
export function openLocalEngine(options: LocalEngineOptions): LocalEngine {
  const host = describeHost(options);
  return { compute: new LocalCompute(host), images: new LocalImages(host) };
}
