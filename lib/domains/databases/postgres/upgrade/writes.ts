import type { Client } from 'pg';
import { ANY_DATABASE, type Side, using } from './side';
import { until } from './until';

/** Sessions of a tenant: superusers are the platform's own, and write nothing of a tenant's. */
const TENANTS_SESSIONS = `FROM pg_stat_activity a LEFT JOIN pg_roles r ON r.oid = a.usesysid
  WHERE a.backend_type IN ('client backend', 'parallel worker') AND NOT coalesce(r.rolsuper, false) AND a.pid <> pg_backend_pid()`;

/** How long transactions in progress may take to end before their sessions are ended. */
const DRAIN_MS = 500;

/**
 * Ends all writing on a side: first its sessions, then its next ones can only read. Idle sessions end at once, which drivers
 * notice before their next statement, the others when their transaction ends or after half a second. Until a session ends it
 * may write: what it writes still arrives on the other side, and no statement is refused as read only. Whoever calls it holds
 * the endpoint, so that nobody comes in.
 * @returns how many sessions were ended in the middle of a transaction
 */
export async function stopWrites(side: Side, withinMs: number): Promise<number> {
  return using(side, ANY_DATABASE, async (client) => {
    const interrupted = await endSessions(client, withinMs, DRAIN_MS);
    await client.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await client.query('SELECT pg_reload_conf()');
    // One that was being opened when the endpoint was held.
    return interrupted + (await endSessions(client, withinMs, 0));
  });
}

async function endSessions(client: Client, withinMs: number, drainMs: number): Promise<number> {
  const interrupted = new Set<number>();
  const late = performance.now() + drainMs;
  await until('open sessions to end', withinMs, async () => {
    const isLate = performance.now() > late;
    const { rows } = await client.query<{ pid: number; idle: boolean }>(
      `SELECT a.pid, a.state = 'idle' AS idle, CASE WHEN a.state = 'idle' OR $1 THEN pg_terminate_backend(a.pid) END
        ${TENANTS_SESSIONS}`,
      [isLate],
    );
    for (const { pid, idle } of rows) if (isLate && !idle) interrupted.add(pid);
    return rows.length === 0;
  });
  return interrupted.size;
}

/**
 * Lets the next sessions write. A reload takes a moment, and a session that began before it would stay read only for as long
 * as a pool keeps it: this waits until new sessions can write.
 */
export async function allowWrites(side: Side): Promise<void> {
  await using(side, ANY_DATABASE, async (client) => {
    await client.query('ALTER SYSTEM RESET default_transaction_read_only');
    await client.query('SELECT pg_reload_conf()');
  });
  await until('new sessions to be allowed to write', RELOAD_MS, async () => {
    const client = await side.connect(ANY_DATABASE);
    try {
      const { rows } = await client.query<{ off: boolean }>(
        `SELECT current_setting('default_transaction_read_only') = 'off' AS off`,
      );
      return rows[0]?.off ?? false;
    } finally {
      await client.end();
    }
  });
}

const RELOAD_MS = 5000;
