import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { noteNodes } from '@/lib/core/devices/device';
import { writeRepair } from '@/lib/core/operations/repair';
import { handleStrays } from '@/lib/core/resources/strays';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import type { ObservedInstance } from './engine';
import { pauseKind, startKind, stopKind } from './operations';
import { decideRepair, type History, type KnownInstance, type Repair } from './repair';
import type { InstanceStatus, InstanceTask, Power } from './transitions';

/** Recoveries longer ago than this count no more. */
const RECOVERIES_MS = 10 * 60_000;

type Row = KnownInstance & {
  project_id: string;
  node: string | null;
  updated_at: Date;
  busy: boolean;
  suspended: boolean;
};

/** The guests of a suspended project stop, and stay so until they are started after it was resumed. */
const stopForSuspension: Repair = { kind: 'restore', power: 'stopped', reason: 'The project was suspended.' };

/** In these a machine is on, and billed. */
const ON: readonly InstanceStatus[] = ['active', 'paused', 'rebooting', 'rebuilding'];

/** What brings a machine to what it should do. */
const restoring: Record<Power, { kind: typeof startKind; task: InstanceTask }> = {
  running: { kind: startKind, task: 'starting' },
  paused: { kind: pauseKind, task: 'pausing' },
  stopped: { kind: stopKind, task: 'stopping' },
};

/** Compares the machines of a cell with the database, in both directions, and repairs differences. */
export class Observer {
  private readonly recoveries = new Map<string, number[]>();
  private readonly silences = new Map<string, number>();
  /** When each was last seen switched on. */
  private readonly seenOn = new Map<string, Date>();

  constructor(private readonly cell: string) {}

  async look(): Promise<void> {
    const { compute } = engineOf(this.cell);
    // The rows first: what is done to a machine after this look at them changes its row, and then nothing is put right.
    const rows = await query<Row>(sql`
      SELECT i.id, i.project_id, (SELECT d.node FROM devices d WHERE d.project_id = i.project_id AND d.id = i.id) AS node, i.status, i.task, i.power, i.generation, i.updated_at, i.launched_at IS NOT NULL AS launched,
        EXISTS (SELECT FROM operations o WHERE o.resource_id = i.id AND o.status IN ('pending', 'running')) AS busy,
        (SELECT p.status = 'suspended' FROM projects p WHERE p.id = i.project_id) AS suspended
      FROM instances i WHERE i.cell_id = ${this.cell}::text`);
    const looked = now();
    const seen = new Map((await compute.observeInstances()).map((machine) => [machine.id, machine]));
    const moved = rows.flatMap(({ id, node: known }) => {
      const node = seen.get(id)?.node ?? null;
      return node === known || !seen.has(id) ? [] : [{ id, node }];
    });
    await noteNodes(moved);
    const { diskBytes } = await compute.capacity();
    for (const row of rows) {
      const machine = seen.get(row.id);
      seen.delete(row.id);
      this.silences.set(row.id, machine?.fault === 'unresponsive' ? (this.silences.get(row.id) ?? 0) + 1 : 0);
      if (isOn(machine)) this.seenOn.set(row.id, looked);
      if (row.busy) continue;
      const mayRun = !row.suspended || row.power === 'stopped' || row.status === 'error';
      const repair = mayRun
        ? decideRepair(row, machine, this.historyOf(row.id), diskBytes.free === 0)
        : stopForSuspension;
      const lost = ON.includes(row.status) && !isOn(machine);
      if (
        !repair ||
        !(await carryOut(this.cell, row, repair, lost ? { seenOn: this.seenOn.get(row.id) ?? null } : null))
      )
        continue;
      if (repair.kind === 'restore' && repair.lost) this.noteRecovery(row.id);
    }
    this.forget(new Set(rows.map(({ id }) => id)));
    await stopStrays(this.cell, [...seen.keys()]);
  }

  private historyOf(id: string): History {
    const since = Date.now() - RECOVERIES_MS;
    const recoveries = (this.recoveries.get(id) ?? []).filter((at) => at > since);
    return { recoveries: recoveries.length, silences: this.silences.get(id) ?? 0 };
  }

  private noteRecovery(id: string): void {
    this.recoveries.set(id, [...(this.recoveries.get(id) ?? []).slice(-10), Date.now()]);
    this.silences.delete(id);
  }

  private forget(present: ReadonlySet<string>): void {
    for (const map of [this.recoveries, this.silences, this.seenOn])
      for (const id of map.keys()) if (!present.has(id)) map.delete(id);
  }
}

/** Stops machines that no row of any host knows, and removes those whose instance was deleted. @param held all machines */
export async function stopStrays(cell: string, held: readonly string[]): Promise<void> {
  const { compute } = engineOf(cell);
  await handleStrays({ cell, type: 'instance', table: 'instances' }, held, {
    remove: (id) => compute.removeInstance(id),
    stop: (id) => compute.stopInstance(id),
  });
}

function isOn(machine: ObservedInstance | undefined): boolean {
  return machine !== undefined && machine.power !== 'stopped';
}

/**
 * Writes a repair, with its operation, unless someone has acted meanwhile.
 * @param lost it turned out to be off while it was billed: that ends when it was last known to be on, by a look or a sample
 */
async function carryOut(
  cell: string,
  row: Row,
  repair: Repair,
  lost: { seenOn: Date | null } | null,
): Promise<boolean> {
  const power = repair.kind === 'restore' ? (repair.power ?? row.power) : row.power;
  const { kind, task } = restoring[power];
  const set = {
    status: repair.status ?? row.status,
    task: repair.kind === 'restore' ? task : null,
    reason: repair.reason,
  };
  const lostAt = lost
    ? sql`, lost_at = least(platform_now(), greatest(launched_at, ${lost.seenOn}::timestamptz,
        (SELECT max(s.at) FROM device_samples s WHERE s.device_id = ${row.id}::uuid)))`
    : raw('');
  const written = await writeRepair({
    resource: { type: 'instance', id: row.id },
    project_id: row.project_id,
    unchanged: sql`FROM k JOIN instances i ON i.project_id = k.project_id
      WHERE i.id = ${row.id}::uuid AND i.updated_at = ${row.updated_at}::timestamptz FOR UPDATE OF i`,
    change: sql`UPDATE instances SET status = ${set.status}::text, task = ${set.task}::text, status_reason = ${set.reason}::text,
      power = ${power}::text, updated_at = platform_now()${lostAt} FROM verdict WHERE verdict.ok AND instances.id = ${row.id}::uuid`,
    operation: repair.kind === 'restore' ? kind.start(row.id, {}, { cell_id: cell }) : undefined,
  });
  if (written) log.info({ instance: row.id, repair }, 'repairing an instance');
  return written;
}
