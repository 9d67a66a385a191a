import { newId } from '@/lib/core/db/id';
import type { ComputeEngine, InstanceSpec } from '@/lib/domains/compute/engine';
import type { FunctionEngine } from '@/lib/domains/functions/engine';
import type { ImageEngine } from '@/lib/domains/images/engine';
import type { NetworkEngine } from '@/lib/domains/network/engine';
import type { StorageEngine } from '@/lib/domains/storage/engine';
import type { ProgramStore, ServiceEngine } from '@/lib/hosts/services/engine';
import { untilSettled } from '../until-settled';
import { GuestShell } from './guest-shell';

/** The engines under test. */
export type Engine = {
  compute: ComputeEngine;
  network: NetworkEngine;
  storage: StorageEngine;
  images: ImageEngine;
  services: ServiceEngine;
  programs: ProgramStore;
  functions: FunctionEngine;
};

/** A test subject: its engine, with facilities beyond the interface. */
export type Subject = {
  engine: Engine;
  /** The engine's folder on this host, for tests of isolation. */
  folder: string;
  /** An engine object without memory, as after a restart of the worker. */
  restarted(): Engine;
  /** Ends an instance's machine like a power failure; absent if the test cannot reach it. */
  powerFailure?(instanceId: string): void;
  /** An external web server that guests may reach; absent if the test cannot create one. */
  outside?(): Promise<{ url: string; close(): void }>;
  /** Crashes the network engine's daemons; absent if the test cannot reach them. */
  crashNetworkDaemons?(): Promise<void>;
  /** Everything that the engine has left on the host: processes, interfaces, files; empty after all removals. */
  leftovers(): Promise<string[]>;
};

/** A small instance of the tiny image; tests override what they are about. */
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

/** Brings an instance to the state of its spec, and waits for it. */
export const settleInstance = (compute: ComputeEngine, spec: InstanceSpec): Promise<object> =>
  untilSettled(() => compute.ensureInstance(spec));

/** Opens a shell in a guest, uses it and disconnects. */
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
