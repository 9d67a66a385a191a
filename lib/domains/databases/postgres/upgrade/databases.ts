import { type Client, escapeIdentifier as id, escapeLiteral as text } from 'pg';
import { ANY_DATABASE, type Side, using } from './side';

type Database = {
  name: string;
  owner: string;
  encoding: string;
  collate: string;
  ctype: string;
  provider: string;
  locale: string | null;
  connections: number;
};

/** The names of all databases that hold data, `postgres` too. */
export const databasesOf = (side: Pick<Side, 'connect' | 'open'>): Promise<string[]> =>
  using(side, ANY_DATABASE, async (client) => (await listDatabases(client)).map(({ name }) => name));

async function listDatabases(client: Client): Promise<Database[]> {
  const { rows } = await client.query<Database>(`
    SELECT d.datname AS name, pg_get_userbyid(d.datdba) AS owner, pg_encoding_to_char(d.encoding) AS encoding,
      d.datcollate AS collate, d.datctype AS ctype, coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') AS provider,
      coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') AS locale, d.datconnlimit AS connections
    FROM pg_database d WHERE d.datallowconn AND NOT d.datistemplate ORDER BY d.datname`);
  return rows;
}

/** Creates what is missing on the new side: each database with its owner, locale, privileges and settings. */
export async function copyDatabases(from: Side, to: Side): Promise<void> {
  const wanted = await using(from, ANY_DATABASE, listDatabases);
  await using(to, ANY_DATABASE, async (client) => {
    const present = new Set((await listDatabases(client)).map(({ name }) => name));
    for (const database of wanted) {
      if (!present.has(database.name)) await client.query(creation(database));
      await client.query(`ALTER DATABASE ${id(database.name)} OWNER TO ${id(database.owner)}`);
      await client.query(`ALTER DATABASE ${id(database.name)} CONNECTION LIMIT ${database.connections}`);
    }
  });
  await copyPrivileges(from, to);
}

/** A provider other than libc came with 15, the one built in with 17. */
function creation({ name, owner, encoding, collate, ctype, provider, locale }: Database): string {
  const options = [
    `OWNER ${id(owner)} TEMPLATE template0 ENCODING ${text(encoding)}`,
    `LC_COLLATE ${text(collate)} LC_CTYPE ${text(ctype)}`,
  ];
  if (provider === 'i') options.push('LOCALE_PROVIDER icu', ...(locale ? [`ICU_LOCALE ${text(locale)}`] : []));
  if (provider === 'b') options.push('LOCALE_PROVIDER builtin', ...(locale ? [`BUILTIN_LOCALE ${text(locale)}`] : []));
  return `CREATE DATABASE ${id(name)} ${options.join(' ')}`;
}

type Privilege = { database: string; grantee: string | null; privilege: string; grantable: boolean };

async function copyPrivileges(from: Side, to: Side): Promise<void> {
  const { rows } = await using(from, ANY_DATABASE, (client) =>
    client.query<Privilege>(`
      SELECT d.datname AS database, CASE WHEN a.grantee <> 0 THEN pg_get_userbyid(a.grantee) END AS grantee,
        a.privilege_type AS privilege, a.is_grantable AS grantable
      FROM pg_database d, aclexplode(d.datacl) a WHERE d.datallowconn AND NOT d.datistemplate`),
  );
  await using(to, ANY_DATABASE, async (client) => {
    for (const database of new Set(rows.map((row) => row.database))) {
      await client.query(`REVOKE ALL ON DATABASE ${id(database)} FROM PUBLIC`);
    }
    for (const { database, grantee, privilege, grantable } of rows) {
      const whom = grantee === null ? 'PUBLIC' : id(grantee);
      const option = grantable && grantee !== null ? ' WITH GRANT OPTION' : '';
      await client.query(`GRANT ${privilege} ON DATABASE ${id(database)} TO ${whom}${option}`);
    }
  });
}
