import { ApiError } from '@/lib/core/api/errors';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { EngineError, reasonOf } from '@/lib/engines/error';
import { log } from '@/lib/log';
import { type FunctionEngine, StartFailure } from '../engine';
import { programOf } from '../templates';
import { templateOf } from './facts';
import type { FunctionPool } from './pool';

type Deploying = { id: string; version: number; status_reason: string | null };

/** Brings new versions of functions into service: fetches the runtime, and loads the code once. */
export class Deployments {
  private readonly underWay = new Set<string>();

  constructor(
    private readonly cell: string,
    private readonly engine: FunctionEngine,
    private readonly pool: FunctionPool,
  ) {}

  async look(): Promise<void> {
    const rows = await query<Deploying>(sql`SELECT id, version, status_reason FROM functions
      WHERE cell_id = ${this.cell}::text AND status = 'deploying' ORDER BY updated_at LIMIT 50`);
    for (const row of rows) if (!this.underWay.has(row.id)) void this.deploy(row);
  }

  private async deploy(row: Deploying): Promise<void> {
    this.underWay.add(row.id);
    try {
      const version = await this.pool.versions.find(row.id, row.version);
      if (!version) return;
      this.pool.versions.serves(row.id, row.version);
      this.pool.instances.retire(row.id, row.version);
      const answer = await this.engine.prepare(programOf[templateOf(version).runtime]);
      if (!answer.settled) {
        if (row.status_reason !== answer.waits_for) await this.settle(row, 'deploying', answer.waits_for);
        return;
      }
      await this.pool.warmUp(version);
      await this.settle(row, 'active', null);
    } catch (error) {
      await this.failed(row, error).catch((failure) => log.warn({ err: failure }, 'a deployment could not be settled'));
    } finally {
      this.underWay.delete(row.id);
    }
  }

  private async failed(row: Deploying, error: unknown): Promise<void> {
    if (error instanceof StartFailure) {
      await this.settle(row, 'error', `${error.error.type}: ${error.error.message}`.slice(0, 1000));
    } else if (error instanceof EngineError && error.code === 'CAPACITY_EXHAUSTED') {
      // It is in order as far as anyone can tell; its first event shows.
      await this.settle(row, 'active', null);
    } else if (error instanceof EngineError || error instanceof ApiError) {
      await this.settle(row, 'error', error instanceof EngineError ? reasonOf(error) : error.message);
    } else {
      log.error({ err: error, function: row.id }, 'a function could not be deployed');
      await this.settle(row, 'error', 'The function could not be deployed.');
    }
  }

  private async settle({ id, version }: Deploying, status: string, reason: string | null): Promise<void> {
    const changed = await execute(sql`
      WITH settled AS (
        UPDATE functions SET status = ${status}::text, status_reason = ${reason}::text
        WHERE id = ${id}::uuid AND version = ${version}::int AND status = 'deploying' RETURNING id, project_id
      )
      ${hintInsert({ project_id: raw('project_id'), topic: 'function', resource_id: raw('id::text') }, raw('settled'))}`);
    if (changed > 0) signalChange();
  }
}
