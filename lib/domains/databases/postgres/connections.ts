import pg from 'pg';
import { engineOf } from '@/lib/engines/engines';
import type { Cluster, Member } from '../cluster/clusters';
import { type Failure, MemberError } from '../cluster/member-error';
import { Late, within } from '../cluster/within';
import { openSecrets } from '../secrets';
import { PORT, SUPERUSER } from './settings-file';

export { MemberError } from '../cluster/member-error';

/** "The database system is starting up", or shutting down. */
const CANNOT_CONNECT_NOW = '57P03';

type Held = { client: pg.Client; database: string };
const held = new Map<string, Held>();

const key = (member: Pick<Member, 'id'>, database: string) => `${member.id} ${database}`;

/** In a tenant's database, the tenant's functions and operators must not be found by the names of PostgreSQL's own. */
export const OPTIONS = '-c search_path=pg_catalog';
/** What a full disk or the tenant's database sets does not hold for the platform. */
const WRITING = `${OPTIONS} -c default_transaction_read_only=off`;

/** Settings of a connection as the platform's own role, through the member's Unix socket. */
export function connectionOf(cluster: Cluster, member: Pick<Member, 'id'>, database = 'postgres'): pg.ClientConfig {
  return {
    host: engineOf(cluster.cell_id).services.socketFolder(member.id),
    port: PORT,
    user: SUPERUSER,
    password: openSecrets(cluster.id, cluster.sealed_secrets).superuser,
    database,
    options: OPTIONS,
  };
}

/**
 * Runs a statement as the platform's own role. The connection stays open until the member ends.
 * @throws MemberError when it can't be reached or does not answer in time; any other error is the statement's
 */
export async function ask<Row extends pg.QueryResultRow>(
  cluster: Cluster,
  member: Pick<Member, 'id'>,
  statement: string,
  {
    values = [],
    timeoutMs = 700,
    database = 'postgres',
  }: { values?: unknown[]; timeoutMs?: number; database?: string } = {},
): Promise<Row[]> {
  const name = key(member, database);
  try {
    const client = held.get(name)?.client ?? (await open(cluster, member, database, timeoutMs));
    const { rows } = await within(client.query<Row>(statement, values), timeoutMs);
    return rows;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    forget(member, database);
    throw new MemberError(failure, error);
  }
}

async function open(
  cluster: Cluster,
  member: Pick<Member, 'id'>,
  database: string,
  timeoutMs: number,
): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionOf(cluster, member, database),
    options: WRITING,
    application_name: 'platform',
  });
  const name = key(member, database);
  client.on('error', () => {
    if (held.get(name)?.client === client) held.delete(name);
  });
  client.on('end', () => {
    if (held.get(name)?.client === client) held.delete(name);
  });
  try {
    await within(client.connect(), timeoutMs);
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
  held.set(name, { client, database });
  return client;
}

/** Ends the platform's connection to a member. */
export function forget(member: Pick<Member, 'id'>, database = 'postgres'): void {
  const found = held.get(key(member, database));
  held.delete(key(member, database));
  // A process that hangs never says goodbye.
  found?.client.end().catch(() => {});
}

/** Ends all connections of this process. */
export async function forgetAll(): Promise<void> {
  const all = [...held.values()];
  held.clear();
  await Promise.allSettled(all.map(({ client }) => within(client.end(), 1000)));
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Late) return 'silent';
  if (error instanceof pg.DatabaseError) {
    if (error.code === CANNOT_CONNECT_NOW) return 'starting';
    // Shut down by an administrator, crashed, or terminated.
    return error.code?.startsWith('57P') ? 'refused' : undefined;
  }
  // Everything else is the socket's.
  return 'refused';
}
