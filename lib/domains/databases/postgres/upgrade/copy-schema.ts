import { escapeLiteral as text } from 'pg';
import { OWN_SCHEMA } from './names';
import { inEach, type Side } from './side';

/**
 * Arguments of `pg_dump` for a schema without data: of the newest major, because an older one refuses newer servers.
 * @param conninfo libpq's words; a password comes from a file that it names
 */
export const dumpArguments = (conninfo: string): string[] => [
  '--schema-only',
  '--no-subscriptions',
  '--no-tablespaces',
  `--exclude-schema=${OWN_SCHEMA}`,
  `--dbname=${conninfo}`,
];

/**
 * Copies the schema of every database, owners and privileges with it. A database's schema is there as a whole or not at all:
 * one query is one transaction.
 */
export async function copySchemas(from: Side, to: Side, databases: readonly string[]): Promise<void> {
  await inEach(to, databases, async (client, database) => {
    const done = await client.query(`SELECT FROM ${OWN_SCHEMA}.finished WHERE step = 'schema'`);
    if (done.rowCount) return;
    const dump = forMajor(await from.dumpSchema(database), to.major);
    await client.query(`${dump}\n;INSERT INTO ${OWN_SCHEMA}.finished VALUES (${text('schema')})`);
  });
}

/**
 * A dump that a server takes without psql: `\\restrict` and `\\unrestrict` are psql's own, around the dump with a token that it
 * makes up, and one setting of its head is known from 17 on.
 */
export function forMajor(dump: string, major: number): string {
  const [, token] = /^\\restrict (\S+)$/m.exec(dump) ?? [];
  const left =
    token === undefined ? dump : dump.replace(`\\restrict ${token}\n`, '').replace(`\\unrestrict ${token}\n`, '');
  return major < 17 ? left.replace(/^SET transaction_timeout = 0;$/m, '') : left;
}
