import { totalmem } from 'node:os';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';
import { sweepUnpacked } from '../code/unpacked';
import { sampleFunctions } from '../metrics';
import { Deployments } from './deployments';
import { announcePool } from './here';
import { FunctionPool } from './pool';
import { Queue } from './queue';
import { runSchedules } from './schedules';
import { PoolServer } from './server';

const MB = 1024 ** 2;
/** Part of the host's memory that instances may use together. */
const HOST_SHARE = 0.5;
/** What runs when the platform stops may end within this. */
const GRACE_MS = 5000;

/** Everything that runs for the functions of a cell, in its agent. */
export class FunctionHost {
  readonly pool: FunctionPool;
  private readonly queue: Queue;
  private readonly deployments: Deployments;
  private readonly server: PoolServer;
  private opening: Promise<void> | undefined;

  constructor(private readonly cell: string) {
    const engine = engineOf(cell).functions;
    const hostMb = Math.floor((totalmem() / MB) * HOST_SHARE);
    this.pool = new FunctionPool(cell, engine, { hostMb, projectMb: settings().functionMemoryMbPerProject });
    this.queue = new Queue(cell, this.pool);
    this.deployments = new Deployments(cell, engine, this.pool);
    this.server = new PoolServer(engine.poolSocket(), this.pool);
  }

  /** What is due now: deployments, queued events, schedules. */
  async look(): Promise<void> {
    await this.opened();
    await runSchedules(this.cell);
    await this.deployments.look();
    await this.queue.look();
  }

  /** What only has to happen now and then: idle instances, deleted functions, bytes, times of the last calls. */
  async tidy(): Promise<void> {
    await this.opened();
    this.pool.instances.sweep();
    await this.retireOld();
    await this.pool.instances.room.trim();
    await this.pool.egress.count();
    await this.noteInvoked();
  }

  flushLines = (): Promise<void> => this.pool.lines.flush();

  sample = (): Promise<void> => sampleFunctions(this.pool);

  async end(): Promise<void> {
    if (!this.opening) return;
    await this.opening.catch(() => {});
    announcePool(this.cell, undefined);
    await this.pool.stop(GRACE_MS);
    await this.server.close();
    await engineOf(this.cell).functions.rest();
  }

  private opened(): Promise<void> {
    this.opening ??= this.open().catch((error) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async open(): Promise<void> {
    await sweepUnpacked();
    await this.pool.ledger.recover();
    await this.pool.instances.room.recover();
    await this.server.listen();
    announcePool(this.cell, this.pool);
    log.debug({ pool: this.pool.id }, 'functions are served');
  }

  /** Ends instances of functions that are gone, and of versions that serve no more. */
  private async retireOld(): Promise<void> {
    const versions = this.pool.instances.versions();
    const ids = [...new Set(versions.map(({ function_id }) => function_id))];
    const rows = await query<{ id: string; version: number; is_suspended: boolean }>(sql`SELECT f.id, f.version,
      p.status = 'suspended' AS is_suspended FROM functions f JOIN projects p ON p.id = f.project_id WHERE f.id = ANY (${ids}::uuid[])`);
    const current = new Map(rows.map(({ id, version, is_suspended }) => [id, is_suspended ? null : version]));
    for (const id of ids) {
      const version = current.get(id) ?? null;
      this.pool.instances.retire(id, version);
      if (version !== null) continue;
      this.pool.versions.forget(id);
      await this.pool.egress.close(id);
    }
  }

  private async noteInvoked(): Promise<void> {
    const ids = this.pool.takeInvoked();
    if (ids.length === 0) return;
    await execute(sql`UPDATE functions SET last_invoked_at = platform_now() WHERE id = ANY (${ids}::uuid[])`);
  }
}
