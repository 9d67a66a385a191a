import { type Client, escapeIdentifier as id } from 'pg';
import { ANY_DATABASE, inEach, type Side, using } from './side';

/**
 * Owns the subscriptions of an upgrade. What replication applies can run code of the tenant: triggers, expressions of indexes,
 * checks of domains. It runs by the rights of this role, which are those of the tables' owners and no more: its session is no
 * superuser's, so that no way leads back to one (decision 120).
 */
export const APPLY_ROLE = 'nephele_apply';

const ATTRIBUTES = 'WITH LOGIN INHERIT BYPASSRLS NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION PASSWORD NULL';

/** Owners of what replication writes, in one database. */
const OWNERS = `SELECT DISTINCT r.rolname AS name FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
  WHERE c.relkind IN ('r', 'p') AND NOT r.rolsuper AND r.oid >= 16384 AND r.rolname <> '${APPLY_ROLE}'`;

/** Makes the role with the rights to write the tables of these databases. It has no password: nobody can sign in as it. */
export async function settleApplyRole(side: Side, databases: readonly string[]): Promise<void> {
  const owners = (await inEach(side, databases, (client) => client.query<{ name: string }>(OWNERS))).flatMap(
    ({ rows }) => rows.map(({ name }) => name),
  );
  await using(side, ANY_DATABASE, async (client) => {
    const found = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [APPLY_ROLE]);
    await client.query(`${found.rowCount ? 'ALTER' : 'CREATE'} ROLE ${APPLY_ROLE} ${ATTRIBUTES}`);
    await client.query(`ALTER ROLE ${APPLY_ROLE} RESET ALL`);
    // The side that follows is read only by default.
    await client.query(`ALTER ROLE ${APPLY_ROLE} SET default_transaction_read_only = off`);
    await client.query(`GRANT pg_write_all_data TO ${APPLY_ROLE}`);
    for (const owner of new Set(owners)) await client.query(`GRANT ${id(owner)} TO ${APPLY_ROLE}`);
    for (const database of databases) await client.query(`GRANT CONNECT ON DATABASE ${id(database)} TO ${APPLY_ROLE}`);
  });
}

/**
 * Gives a subscription to the role, and lets it begin. Before 16 only a superuser can own one: the role is one for the length
 * of a transaction that nobody else sees.
 */
export async function handOver(client: Client, major: number, subscription: string): Promise<void> {
  const { rows } = await client.query<{ owner: string; enabled: boolean }>(
    `SELECT pg_get_userbyid(subowner) AS owner, subenabled AS enabled FROM pg_subscription
      WHERE subname = $1 AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [subscription],
  );
  if (rows[0]?.owner === APPLY_ROLE && rows[0].enabled) return;
  const own = `ALTER SUBSCRIPTION ${id(subscription)} OWNER TO ${APPLY_ROLE}`;
  const owning =
    major >= 16 ? [own] : [`ALTER ROLE ${APPLY_ROLE} SUPERUSER`, own, `ALTER ROLE ${APPLY_ROLE} NOSUPERUSER`];
  // One query is one transaction.
  await client.query([...owning, `ALTER SUBSCRIPTION ${id(subscription)} ENABLE`].join('; '));
}

/** Removes the role with all that was granted to it. */
export async function dropApplyRole(side: Side, databases: readonly string[]): Promise<void> {
  const exists = await using(side, ANY_DATABASE, (client) =>
    client.query('SELECT FROM pg_roles WHERE rolname = $1', [APPLY_ROLE]),
  );
  if (!exists.rowCount) return;
  // One after the other: all of them change what the databases share.
  for (const database of new Set([...databases, ANY_DATABASE]))
    await using(side, database, (client) => client.query(`DROP OWNED BY ${APPLY_ROLE}`));
  await using(side, ANY_DATABASE, (client) => client.query(`DROP ROLE IF EXISTS ${APPLY_ROLE}`));
}
