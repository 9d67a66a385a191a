import type { ComputeEngine } from '@/lib/domains/compute/engine';
import type { FunctionEngine } from '@/lib/domains/functions/engine';
import type { ImageEngine } from '@/lib/domains/images/engine';
import type { NetworkEngine } from '@/lib/domains/network/engine';
import type { StorageEngine } from '@/lib/domains/storage/engine';
import type { ProgramStore, ServiceEngine } from '@/lib/hosts/services/engine';
import type { EngineStatus } from '../status';
import { LocalPrograms } from './catalogue/store';
import { LocalCompute } from './compute/local-compute';
import { LocalFunctions } from './functions/local-functions';
import { describeHost, type LocalEngineOptions } from './host';
import { LocalImages } from './images/local-images';
import { LocalNetwork } from './network/local-network';
import { probeHost } from './probe';
import { LocalServices } from './services/local-services';
import { LocalStorage } from './storage/local-storage';

/** Everything that the local engine does. */
export type LocalEngine = {
  compute: ComputeEngine;
  network: NetworkEngine;
  storage: StorageEngine;
  images: ImageEngine;
  services: ServiceEngine;
  programs: ProgramStore;
  functions: FunctionEngine;
  /** What works here and what is missing, by trying it; takes up to half a minute the first time. */
  probe(): Promise<EngineStatus[]>;
};

/**
 * The engine of this machine. Opening it touches nothing; every part makes what it needs when it is first asked. Calls
 * that change something belong into one process a host; reading (consoles, logs, samples) may happen in any.
 */
export function openLocalEngine(options: LocalEngineOptions): LocalEngine {
  const host = describeHost(options);
  return {
    compute: new LocalCompute(host),
    network: new LocalNetwork(host),
    storage: new LocalStorage(host),
    images: new LocalImages(host),
    services: new LocalServices(host),
    programs: new LocalPrograms(host),
    functions: new LocalFunctions(host),
    probe: () => probeHost(host),
  };
}
