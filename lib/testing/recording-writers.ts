import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** What writers saw: every write that was acknowledged, the errors, and the longest time without one. */
export type Recorded = { acknowledged: Map<string, string>; errors: string[]; longestGapMs: number };

/**
 * Clients that write without a pause, each through a pool as applications do, and remember every write that was
 * acknowledged: rows, and updates of earlier rows.
 */
export function startWriters(port: number, count: number, table: string, database = 'app', user = 'app') {
  const recorded: Recorded = { acknowledged: new Map(), errors: [], longestGapMs: 0 };
  let stopped = false;
  let last = performance.now();
  const writer = async () => {
    const pool = new pg.Pool({ host: '127.0.0.1', port, user, database, max: 1 });
    pool.on('error', () => {});
    for (let round = 0; !stopped; round += 1) {
      try {
        const { rows } = await pool.query<{ id: string }>(`INSERT INTO ${table} (v) VALUES ('new') RETURNING id`);
        const id = rows[0]?.id ?? '';
        if (recorded.acknowledged.has(id)) recorded.errors.push(`the number ${id} was handed out twice`);
        recorded.acknowledged.set(id, 'new');
        if (round % 3 === 0) {
          await pool.query(`UPDATE ${table} SET v = 'changed' WHERE id = $1`, [id]);
          recorded.acknowledged.set(id, 'changed');
        }
        recorded.longestGapMs = Math.max(recorded.longestGapMs, performance.now() - last);
        last = performance.now();
        await delay(2);
      } catch (error) {
        recorded.errors.push(error instanceof Error ? error.message : String(error));
        await delay(5);
      }
    }
    await pool.end();
  };
  const writers = Array.from({ length: count }, writer);
  return {
    recorded,
    /** Writes so far. */
    count: () => recorded.acknowledged.size,
    async stop(): Promise<Recorded> {
      stopped = true;
      await Promise.all(writers);
      return recorded;
    },
  };
}

/** Acknowledged writes that a database does not have as they were acknowledged. */
export async function lostWrites(client: pg.Client, recorded: Recorded, table: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string; v: string }>(`SELECT id::text, v FROM ${table}`);
  const present = new Map(rows.map(({ id, v }) => [id, v]));
  return [...recorded.acknowledged].filter(([id, v]) => present.get(id) !== v).map(([id]) => id);
}
