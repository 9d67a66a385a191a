import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { secretOf } from '../s3/access';
import { keyCounts, keyRank } from '../store/access';
import { accountOf } from './accounts';
import { createKey, findUser, type Level, listUsers, permissionsOf, removeKey, setLevel, suspendUser } from './admin';
import { subuserOf } from './buckets';

/** Every account is compared once in so long, whatever has changed. */
const FULL_MS = 60_000;
/** A key without a row may be one that is being made: it ends when it is seen again after so long. Should its row come later, it is made again. */
const GRACE_MS = 5000;

type Row = {
  id: string;
  project_id: string;
  access_key: string;
  sealed_secret: Buffer;
  access: 'read' | 'write';
  role_rank: number;
};
type Wanted = { isSuspended: boolean; keys: Map<string, Row & { level: Level }> };

/** What this process knows of an account since it last made it so. */
type Seen = { wanted: string; names: Set<string>; strays: Map<string, number>; at: number };

/**
 * Gives every access key its place in the outside store, with what its holder may do now, and takes it from those whose holder has
 * gone: a member who was removed, a session or token that has ended, a key that has expired.
 */
export class KeyKeeper {
  readonly #seen = new Map<string, Seen>();
  #listed = { at: -Infinity };

  async keep(signal: AbortSignal): Promise<void> {
    const wanted = await readWanted();
    const projects = new Set([...wanted.keys(), ...this.#seen.keys()]);
    const isFull = performance.now() - this.#listed.at > FULL_MS;
    if (isFull) for (const name of await this.#platformUsers()) projects.add(name);
    for (const project of projects) {
      if (signal.aborted) return;
      const wish = wanted.get(project) ?? { isSuspended: false, keys: new Map() };
      const seen = this.#seen.get(project);
      const isDone = !isFull && seen?.wanted === textOf(wish) && seen.strays.size === 0;
      if (isDone) continue;
      await this.#keepAccount(project, wish, seen).catch((error) =>
        log.warn({ err: error, project }, 'access keys of an account in the outside object storage could not be kept'),
      );
    }
    if (isFull) this.#listed = { at: performance.now() };
  }

  /** Accounts of projects; the store may have others. */
  async #platformUsers(): Promise<string[]> {
    const names = await listUsers();
    const rows = await query<{ id: string }>(sql`SELECT id FROM projects WHERE id::text = ANY(${names}::text[])`);
    return rows.map(({ id }) => id);
  }

  async #keepAccount(project: string, { isSuspended, keys }: Wanted, seen: Seen | undefined): Promise<void> {
    if (keys.size > 0) await accountOf(project);
    const user = await findUser(project);
    const strays = new Map<string, number>();
    if (user) {
      if ((user.suspended !== 0) !== isSuspended) await suspendUser(project, isSuspended);
      const held = new Map(user.subusers.map(({ id, permissions }) => [id.slice(project.length + 1), permissions]));
      for (const [name, row] of keys) await keepKey(project, name, row, held, user.keys);
      for (const name of held.keys()) {
        if (keys.has(name)) continue;
        const since = seen?.strays.get(name) ?? performance.now();
        const isOver = seen?.names.has(name) || performance.now() - since > GRACE_MS;
        if (isOver) await removeKey(project, name);
        else strays.set(name, since);
      }
    }
    const names = new Set(keys.keys());
    this.#seen.set(project, { wanted: textOf({ isSuspended, keys }), names, strays, at: performance.now() });
  }
}

const textOf = ({ isSuspended, keys }: Wanted) =>
  JSON.stringify([isSuspended, [...keys].map(([name, { level, access_key }]) => [name, level, access_key]).sort()]);

async function keepKey(
  project: string,
  name: string,
  row: Row & { level: Level },
  held: ReadonlyMap<string, string>,
  keys: readonly { user: string; access_key: string }[],
): Promise<void> {
  const isThere = keys.some(({ user, access_key }) => user === `${project}:${name}` && access_key === row.access_key);
  // A store that was restored, or buckets that moved there: the key is made again as its holder knows it.
  if (!isThere) await createKey(project, name, row.level, { access_key: row.access_key, secret: secretOf(row) });
  else if (held.get(name) !== permissionsOf[row.level]) await setLevel(project, name, row.level);
}

async function readWanted(): Promise<Map<string, Wanted>> {
  const rows = await query<Row & { status: string }>(sql`SELECT k.* FROM (
      SELECT c.id, c.project_id, c.access_key, c.sealed_secret, c.access, p.status, ${keyRank} AS role_rank, ${keyCounts} AS counts
      FROM object_credentials c JOIN projects p ON p.id = c.project_id
      WHERE (c.expires_at IS NULL OR c.expires_at > platform_now()) AND c.bucket_id IS NULL
    ) k WHERE k.role_rank IS NOT NULL AND k.counts`);
  const suspended = await query<{ id: string }>(sql`SELECT id FROM projects WHERE status <> 'active'`);
  const wanted = new Map<string, Wanted>(suspended.map(({ id }) => [id, { isSuspended: true, keys: new Map() }]));
  for (const row of rows) {
    const mine: Wanted = wanted.get(row.project_id) ?? { isSuspended: false, keys: new Map() };
    wanted.set(row.project_id, mine);
    mine.keys.set(subuserOf(row.id), { ...row, level: row.access === 'write' && row.role_rank > 0 ? 'write' : 'read' });
  }
  return wanted;
}
