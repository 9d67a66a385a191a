import type { ComputeEngine } from '@/lib/domains/compute/engine';
import type { ImageEngine } from '@/lib/domains/images/engine';
import type { NetworkEngine } from '@/lib/domains/network/engine';
import type { StorageEngine } from '@/lib/domains/storage/engine';
import type { ProgramStore, ServiceEngine } from '@/lib/hosts/services/engine';
import { settings } from '@/lib/settings';
import { openLocalEngine } from './local/local-engine';
import type { EngineStatus } from './status';

/** Everything that makes machines and services real on this host. */
export type Engines = {
  compute: ComputeEngine;
  network: NetworkEngine;
  storage: StorageEngine;
  images: ImageEngine;
  services: ServiceEngine;
  programs: ProgramStore;
  /** What works here and what is missing. */
  probe(): Promise<EngineStatus[]>;
};

declare global {
  // One a process, also where a bundler loads this file twice.
  var nepheleEngines: Engines | undefined;
}

/**
 * The engines of this process. What changes something belongs into the worker of the host; consoles and logs are read
 * wherever they are asked for.
 */
export function engines(): Engines {
  if (!globalThis.nepheleEngines) {
    const { dataDir, floatingIpCidr, guestsMayReach, diskFloorGb, programMirror } = settings();
    globalThis.nepheleEngines = openLocalEngine({
      dataDir,
      ...(floatingIpCidr === undefined ? {} : { floatingIpCidr }),
      openPrivateCidrs: guestsMayReach.map((range) => (range.includes('/') ? range : `${range}/32`)),
      ...(programMirror === undefined ? {} : { programMirror }),
      diskFloorBytes: diskFloorGb * 1024 ** 3,
    });
  }
  return globalThis.nepheleEngines;
}

/** Puts other engines in their place; only tests do. */
export function replaceEngines(replacement: Engines | undefined): void {
  globalThis.nepheleEngines = replacement;
}
