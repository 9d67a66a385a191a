import { newId } from '@/lib/core/db/id';
import type { ComputeEngine, InstanceSpec } from '@/lib/domains/compute/engine';
import type { ImageEngine } from '@/lib/domains/images/engine';
import type { NetworkEngine } from '@/lib/domains/network/engine';
import type { StorageEngine } from '@/lib/domains/storage/engine';
import type { ProgramStore, ServiceEngine } from '@/lib/hosts/services/engine';
import { untilSettled } from '../until-settled';
import { GuestShell } from './guest-shell';

/** An engine that is put to the tests. */
export type Engine = {
  compute: ComputeEngine;
  network: NetworkEngine;
  storage: StorageEngine;
  images: ImageEngine;
  services: ServiceEngine;
  programs: ProgramStore;
};

/** How a contract test gets its engine, and what it may ask besides the interface. */
export type Subject = {
  engine: Engine;
  /** An engine object that remembers nothing, as after a restart of the worker. */
  restarted(): Engine;
  /** Ends an instance's machine as a power failure would; absent where the test can't reach it. */
  powerFailure?(instanceId: string): void;
  /** A web server beyond the platform that guests may reach; absent where the test can't make one. */
  outside?(): Promise<{ url: string; close(): void }>;
  /** Ends the daemons of the network engine as a crash would; absent where the test can't reach it. */
  crashNetworkDaemons?(): Promise<void>;
  /** What the engine has left on the host: processes, interfaces, files. Empty when all is removed. */
  leftovers(): Promise<string[]>;
};

/** A small instance of the tiny image; what a test is about it sets itself. */
export function smallInstance(imageId: string, change: Partial<InstanceSpec> = {}): InstanceSpec {
  return {
    id: newId(),
    vcpus: 1,
    ramMb: 96,
    disk: { imageId, sizeGb: 1, generation: 1 },
    ports: [],
    volumeIds: [],
    seed: { hostname: 'guest', sshPublicKeys: [], userData: null },
    power: 'running',
    ...change,
  };
}

/** Makes an instance what its spec says, and waits until it is. */
export const settleInstance = (compute: ComputeEngine, spec: InstanceSpec): Promise<void> =>
  untilSettled(() => compute.ensureInstance(spec));

/** Opens a shell in a guest, uses it and hangs up. */
export async function inGuest<T>(
  compute: ComputeEngine,
  id: string,
  work: (shell: GuestShell) => Promise<T>,
): Promise<T> {
  const shell = await GuestShell.open(await compute.openConsole(id, 'serial'));
  try {
    return await work(shell);
  } finally {
    shell.close();
  }
}
