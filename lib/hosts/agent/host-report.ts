import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { HostCapacity } from '@/lib/domains/compute/engine';
import { engineOf } from '@/lib/engines/engines';
import { reportCell } from '@/lib/hosts/engine-reports/cells';
import { reportEngine } from '@/lib/hosts/engine-reports/service';
import { stateOfServices } from '@/lib/hosts/services/keeper';

const GIB = 1024 ** 3;
/** Overcommit factor for disk space: volumes are sparse, and most stay far from full. */
const DISK_OVERCOMMIT = 3;

/** This machine's engine has machines of another database; touching any would lose someone's data. */
export class ForeignMachines extends Error {
  override name = 'ForeignMachines';
}

/**
 * Reports the capacity of a cell, and recounts its reservations from their ledger.
 * @throws ForeignMachines when the database does not know this host although it has machines
 */
export async function reportHost(cell: string): Promise<void> {
  const { compute, network } = engineOf(cell);
  const [capacity, stateBytes] = await Promise.all([compute.capacity(), stateOfServices(cell)]);
  const ranges = await network.floatingIpRanges();
  const known = await queryOne(sql`SELECT FROM cells WHERE id = ${cell}::text`);
  if (!known) await requireUnused(cell);
  await reportCell(cell, { ...usableOf(capacity, stateBytes), memory_mb_overhead: capacity.memoryMb.overhead, ranges });
}

/** Total capacity for machines and services, free or promised; their reservations are counted against it. */
function usableOf({ vcpus, memoryMb, diskBytes, gpuSlices }: HostCapacity, stateBytes: number) {
  const disk = diskBytes.free === 0 ? 0 : DISK_OVERCOMMIT * (diskBytes.free + diskBytes.held + stateBytes);
  return {
    vcpus: vcpus.total,
    memory_mb: Math.floor(Math.min(memoryMb.total, memoryMb.committed + memoryMb.free)),
    disk_gb: Math.floor(disk / GIB),
    gpu_slices: gpuSlices,
  };
}

async function requireUnused(cell: string): Promise<void> {
  const { compute, services } = engineOf(cell);
  const [machines, running] = await Promise.all([compute.observeInstances(), services.observeServices()]);
  if (machines.length + running.length === 0) return;
  const what = running.length === 0 ? 'machines' : 'machines and services';
  throw new ForeignMachines(
    `This host runs ${machines.length + running.length} ${what} that are not in this database, so they belong to another one. ` +
      'Start with that database, with the HOST_ID that this host had there, or with another DATA_DIR.',
  );
}

/** Problems of an engine, in sentences for a person. */
export type Troubles = (engine: string) => readonly string[];

/**
 * Reports the features and gaps of each engine here, for `/readyz`, the back office and refusals. A `problem` of the
 * host itself makes machines unavailable here.
 */
export async function reportEngines(cell: string, troublesOf: Troubles, problem?: string): Promise<void> {
  for (const { engine, ok, missing, message, limits } of await engineOf(cell).probe()) {
    const troubles = troublesOf(engine);
    const isOut = !ok || (problem !== undefined && engine === 'compute');
    const status = isOut ? 'unavailable' : missing.length + troubles.length > 0 ? 'degraded' : 'available';
    const text = ok && isOut && problem !== undefined ? problem : [message, ...troubles].join(' ');
    await reportEngine(cell, {
      engine,
      status,
      message: text,
      details: {
        missing: missing.map((program) => ({ ...program })),
        ...(limits && { limits: limits.map((limit) => ({ ...limit })) }),
      },
    });
  }
}
