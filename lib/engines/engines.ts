import type { ComputeEngine } from '@/lib/domains/compute/engine';
import type { FunctionEngine } from '@/lib/domains/functions/engine';
import type { ImageEngine } from '@/lib/domains/images/engine';
import type { NetworkEngine } from '@/lib/domains/network/engine';
import type { StorageEngine } from '@/lib/domains/storage/engine';
import type { ProgramStore, ServiceEngine } from '@/lib/hosts/services/engine';
import { ownCell, settings } from '@/lib/settings';
import { EngineError } from './error';
import { openLocalEngine } from './local/local-engine';
import type { EngineStatus } from './status';

/** The engines of a cell, which run its machines and services. */
export type Engines = {
  compute: ComputeEngine;
  network: NetworkEngine;
  storage: StorageEngine;
  images: ImageEngine;
  services: ServiceEngine;
  programs: ProgramStore;
  functions: FunctionEngine;
  /** The features of the cell's engines and what is missing. */
  probe(): Promise<EngineStatus[]>;
};

declare global {
  // By cell. One map per process, even if a bundler loads this file twice.
  var nepheleEngines: Map<string, Engines> | undefined;
}

/** Opens the engines of a cell, by its kind. */
const openers = { local: openThisHost };
type CellKind = keyof typeof openers;

/** The kind of a cell whose engines this process may open. */
const kindOf = (cell: string): CellKind | undefined => (cell === ownCell() ? 'local' : undefined);

/**
 * The engines of a cell. Only the cell's worker changes anything through them; every process that serves the cell reads
 * consoles and logs.
 * @throws EngineError `ENGINE_UNAVAILABLE` when this process does not serve the cell
 */
export function engineOf(cell: string): Engines {
  const opened = openedEngines();
  const found = opened.get(cell);
  if (found) return found;
  const kind = kindOf(cell);
  if (kind === undefined) {
    const message = `This process does not serve host ${cell}. Use the address of the platform on that host.`;
    throw new EngineError('ENGINE_UNAVAILABLE', message);
  }
  const engines = openers[kind]();
  opened.set(cell, engines);
  return engines;
}

/** Whether this process has the engines of a cell. */
export const hasEngineOf = (cell: string) => openedEngines().has(cell) || kindOf(cell) !== undefined;

/** Replaces the engines of a cell; for tests only. */
export function replaceEngines(replacement: Engines, cell = ownCell()): void {
  openedEngines().set(cell, replacement);
}

function openedEngines(): Map<string, Engines> {
  globalThis.nepheleEngines ??= new Map();
  return globalThis.nepheleEngines;
}

function openThisHost(): Engines {
  const { dataDir, floatingIpCidr, guestsMayReach, diskFloorGb, programMirror } = settings();
  return openLocalEngine({
    dataDir,
    ...(floatingIpCidr === undefined ? {} : { floatingIpCidr }),
    openPrivateCidrs: guestsMayReach.map((range) => (range.includes('/') ? range : `${range}/32`)),
    ...(programMirror === undefined ? {} : { programMirror }),
    diskFloorBytes: diskFloorGb * 1024 ** 3,
  });
}
