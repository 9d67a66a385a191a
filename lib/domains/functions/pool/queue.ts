import { signalChange } from '@/lib/core/db/changes';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { ClaimedCall, FunctionPool } from './pool';

/** Queued invocations that a pool runs at the same time. */
const MOST_RUNNING = 50;

type Claimed = Omit<ClaimedCall, 'payload'> & { payload: string | null };

/** Runs queued invocations when they are due, no more of a function than its concurrency allows. */
export class Queue {
  private running = 0;

  constructor(
    private readonly cell: string,
    private readonly pool: FunctionPool,
  ) {}

  /** Starts what is due. */
  async look(): Promise<void> {
    const room = MOST_RUNNING - this.running;
    if (room <= 0) return;
    const claimed = await this.claim(room);
    for (const one of claimed) void this.run(one);
  }

  private async run({ payload, ...claimed }: Claimed): Promise<void> {
    this.running += 1;
    try {
      await this.pool.runClaimed({ ...claimed, payload: payload === null ? null : JSON.parse(payload) });
    } finally {
      this.running -= 1;
      // Another one may have waited for the slot.
      signalChange();
    }
  }

  private claim(room: number): Promise<Claimed[]> {
    const busy = JSON.stringify(Object.fromEntries(this.pool.busyFunctions()));
    return query<Claimed>(sql`
      WITH due AS (
        SELECT i.id, f.version, row_number() OVER (PARTITION BY i.function_id ORDER BY i.next_attempt_at, i.id)
          + coalesce((${busy}::jsonb ->> i.function_id::text)::int, 0) AS place, v.concurrency
        FROM function_invocations i JOIN functions f ON f.id = i.function_id JOIN projects p ON p.id = f.project_id
          JOIN function_versions v ON v.function_id = f.id AND v.version = f.version
        WHERE i.cell_id = ${this.cell}::text AND i.status = 'queued' AND i.next_attempt_at <= platform_now() AND p.status = 'active'
      ), chosen AS (
        SELECT i.id FROM function_invocations i JOIN due ON due.id = i.id
        WHERE due.place <= due.concurrency AND i.status = 'queued' ORDER BY i.next_attempt_at, i.id LIMIT ${room}::int FOR UPDATE OF i SKIP LOCKED
      )
      UPDATE function_invocations i SET status = 'running', pool_id = ${this.pool.id}::uuid, next_attempt_at = NULL, version = due.version
      FROM chosen JOIN due ON due.id = chosen.id WHERE i.id = chosen.id
      RETURNING i.id AS invocation_id, i.project_id, i.function_id, i.version, i.trigger, i.caller, i.payload, i.failures`);
  }
}
