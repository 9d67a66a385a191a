import type { Client } from 'pg';
import { within } from '../../cluster/within';

const GOODBYE_MS = 1_000;
/** Longer than the limit of any statement in a switch. */
const ANSWERS_WITHIN_MS = 6_000;

/**
 * One side of an upgrade: a primary, as the platform's own superuser reaches it. Whoever makes one keeps its password out of
 * logs and arguments.
 */
export type Side = {
  major: number;
  /**
   * Opens a connection as the platform's superuser, without the tenant's functions and operators on its search path.
   * @param answersWithinMs timeout of each statement; none by default
   */
  connect(database: string, answersWithinMs?: number): Promise<Client>;
  /** How the other side's server connects to this one (libpq). Holds a password. */
  conninfo(database: string): string;
  /** `pg_dump --schema-only` of a database, by the newest program (`dumpArguments`). */
  dumpSchema(database: string): Promise<string>;
  /** Connections that are open already, for a while in which every millisecond counts (`keepOpen`). */
  open?: ReadonlyMap<string, Client>;
};

/** Runs `work` on a connection of its own, which ends with it. */
export async function using<Result>(
  side: Pick<Side, 'connect' | 'open'>,
  database: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const open = side.open?.get(database);
  if (open) return work(open);
  const client = await connectQuietly(side, database);
  try {
    return await work(client);
  } finally {
    await end(client);
  }
}

/** A hung server never closes its side of the connection. */
const end = (client: Client): Promise<void> => within(client.end(), GOODBYE_MS).catch(() => {});

async function connectQuietly(
  side: Pick<Side, 'connect'>,
  database: string,
  answersWithinMs?: number,
): Promise<Client> {
  const client = await side.connect(database, answersWithinMs);
  // A server that stops ends the query with an error; the event besides must not end this process.
  client.on('error', () => {});
  // The side that follows is read only by default, and what is done here is not for a tenant's log: it holds passwords.
  await client.query(`SET default_transaction_read_only = off; SET log_statement = 'none';
    SET log_min_error_statement = 'panic'; SET log_min_duration_statement = -1`);
  return client;
}

/** Keeps connections to a side open while `work` runs. Their statements time out on a hung server. */
export async function keepOpen<Result>(
  side: Side,
  databases: readonly string[],
  work: (side: Side) => Promise<Result>,
): Promise<Result> {
  const open = new Map<string, Client>();
  try {
    for (const name of new Set([ANY_DATABASE, ...databases]))
      open.set(name, await connectQuietly(side, name, ANSWERS_WITHIN_MS));
    return await work({ ...side, open });
  } finally {
    await Promise.all([...open.values()].map(end));
  }
}

/** The database that every cluster has, for what concerns the whole cluster. */
export const ANY_DATABASE = 'postgres';

/** Runs `work` once for each database, all at the same time. */
export async function inEach<Result>(
  side: Side,
  databases: readonly string[],
  work: (client: Client, database: string) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(databases.map((database) => using(side, database, (client) => work(client, database))));
}
