import type { Client } from 'pg';
import { type Check, checkOf, type Problem } from '../../../jobs/check';
import { databasesOf } from '../databases';
import { OWN_SCHEMA } from '../names';
import { ANY_DATABASE, inEach, type Side, using } from '../side';
import { removedBetween } from './removed';

/**
 * Whether logical replication carries everything that a cluster holds to another major version: each thing that it would not
 * carry, by name, with what to do.
 * @param parameters the cluster's own settings, which the next version gets too
 */
export async function checkCompatibility(
  side: Side,
  target: number,
  parameters: readonly string[] = [],
): Promise<Check> {
  const databases = await databasesOf(side);
  const perDatabase = await inEach(side, databases, (client, database) =>
    problemsOf(client, database, side.major, target),
  );
  const overall = await using(side, ANY_DATABASE, (client) =>
    problemsOfCluster(client, databases.length, side.major, target, parameters),
  );
  return checkOf(
    'compatibility',
    [...perDatabase.flat(), ...overall],
    `Everything in the cluster can be moved to PostgreSQL ${target}.`,
    `Not everything can be moved to PostgreSQL ${target} as it is.`,
  );
}

/** A row of each of these is a problem: its text says what to do. */
type Question = { blocks: boolean; statement: string; text(name: string, database: string): string };

const TENANTS = `n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', '${OWN_SCHEMA}') AND n.nspname NOT LIKE 'pg\\_temp%'`;
const NAME = `format('%I.%I', n.nspname, c.relname)`;
const FROM = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${TENANTS}`;
const PLAIN_TABLES = `${FROM} AND c.relkind = 'r' AND c.relpersistence = 'p'
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

const QUESTIONS: Question[] = [
  {
    blocks: true,
    statement: `SELECT ${NAME} AS name ${PLAIN_TABLES} AND (c.relreplident = 'n'
      OR c.relreplident = 'd' AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indisvalid)
      OR c.relreplident = 'i' AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident AND i.indisvalid))`,
    text: (name, database) =>
      `The table ${name} of ${database} has no replica identity. Add a primary key, or run: ALTER TABLE ${name} REPLICA IDENTITY FULL`,
  },
  {
    blocks: true,
    // Rows of such a table are compared as a whole, which needs an equality of every column's type.
    statement: `SELECT ${NAME} || '.' || quote_ident(a.attname) || ' (' || format_type(a.atttypid, a.atttypmod) || ')' AS name
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE ${TENANTS} AND c.relkind = 'r' AND c.relreplident = 'f'
        AND a.atttypid IN ('json'::regtype, 'xml'::regtype, 'point'::regtype)`,
    text: (name, database) =>
      `The column ${name} of ${database} has a type without equality, in a table whose replica identity is FULL. Give the table a primary key, and run REPLICA IDENTITY DEFAULT.`,
  },
  {
    blocks: true,
    statement: `SELECT ${NAME} || '.' || quote_ident(a.attname) || ' (' || format_type(a.atttypid, a.atttypmod) || ')' AS name
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A' LEFT JOIN pg_type b ON b.oid = t.typbasetype
      WHERE ${TENANTS} AND c.relkind IN ('r', 'm') AND coalesce(e.oid, b.oid, t.oid) = ANY (ARRAY['regproc', 'regprocedure', 'regoper',
        'regoperator', 'regconfig', 'regdictionary', 'regnamespace', 'regcollation', 'regclass']::regtype[])`,
    text: (name, database) =>
      `The column ${name} of ${database} refers to objects by numbers that differ after an upgrade. Use text.`,
  },
  {
    blocks: true,
    statement: `SELECT count(*)::text AS name FROM pg_largeobject_metadata HAVING count(*) > 0`,
    text: (name, database) =>
      `${database} holds ${name} large objects, which are not replicated. Move them to bytea columns or to object storage.`,
  },
  {
    blocks: true,
    statement: `SELECT quote_ident(t.tgname) || ' of ' || ${NAME} AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${TENANTS} AND NOT t.tgisinternal AND t.tgenabled IN ('A', 'R')`,
    text: (name, database) =>
      `The trigger ${name} in ${database} fires for replicated rows too, so that its work would be done twice. Run ENABLE TRIGGER for it.`,
  },
  {
    blocks: true,
    statement: `SELECT ${NAME} AS name ${PLAIN_TABLES} AND c.relrowsecurity AND c.relforcerowsecurity`,
    text: (name, database) =>
      `Row level security of ${name} in ${database} is forced for its owner, by whose rights rows are replicated. Run: ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`,
  },
  {
    blocks: true,
    statement: `SELECT quote_ident(s.subname) AS name FROM pg_subscription s WHERE s.subname NOT LIKE 'nephele\\_%'
      AND s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    text: (name, database) =>
      `The subscription ${name} of ${database} can't move with its position. Drop it, and create it again after the upgrade.`,
  },
  {
    blocks: false,
    statement: `SELECT ${NAME} AS name ${FROM} AND c.relkind = 'r' AND c.relpersistence = 'u'`,
    text: (name, database) => `The table ${name} of ${database} is unlogged: it is empty after the upgrade.`,
  },
  {
    blocks: false,
    statement: `SELECT ${NAME} AS name ${FROM} AND c.relkind = 'f'`,
    text: (name, database) =>
      `The foreign table ${name} of ${database} moves without rows; its server must be reachable from the new members.`,
  },
  {
    blocks: false,
    statement: `SELECT slot_name AS name FROM pg_replication_slots WHERE slot_type = 'logical' AND database = current_database()
      AND slot_name NOT LIKE 'nephele\\_%' AND NOT temporary`,
    text: (name, database) =>
      `The replication slot ${name} of ${database} is not there after the upgrade: whoever reads it starts again.`,
  },
];

async function problemsOf(client: Client, database: string, from: number, target: number): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { blocks, statement, text } of QUESTIONS) {
    const { rows } = await client.query<{ name: string }>(`${statement} ORDER BY 1`);
    problems.push(...rows.map(({ name }) => ({ blocks, text: text(name, database) })));
  }
  const { extensions } = removedBetween(from, target);
  const { rows } = await client.query<{ name: string }>('SELECT extname AS name FROM pg_extension ORDER BY 1');
  const missing = rows.filter(({ name }) => extensions.has(name));
  const text = (name: string) =>
    `PostgreSQL ${target} has no extension ${name}. In ${database}, run: DROP EXTENSION ${name}`;
  return [...problems, ...missing.map(({ name }) => ({ blocks: true, text: text(name) }))];
}

async function problemsOfCluster(
  client: Client,
  databases: number,
  from: number,
  target: number,
  parameters: readonly string[],
): Promise<Problem[]> {
  const { settings } = removedBetween(from, target);
  const gone = parameters.filter((name) => settings.has(name));
  const assigned = await client.query<{ name: string; place: string }>(`
    SELECT split_part(one, '=', 1) AS name, coalesce('ROLE ' || quote_ident(r.rolname), 'DATABASE ' || quote_ident(d.datname)) AS place
    FROM pg_db_role_setting s CROSS JOIN unnest(s.setconfig) one
    LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase ORDER BY 1, 2`);
  const prepared = await client.query<{ gid: string; database: string }>(
    'SELECT gid, database FROM pg_prepared_xacts ORDER BY 1',
  );
  return [
    ...gone.map((name) => `PostgreSQL ${target} has no parameter ${name}. Reset it first.`),
    ...assigned.rows
      .filter(({ name }) => settings.has(name))
      .map(({ name, place }) => `PostgreSQL ${target} has no parameter ${name}. Run: ALTER ${place} RESET ${name}`),
    ...prepared.rows.map(
      ({ gid, database }) => `The transaction ${gid} is prepared in ${database}. Commit or roll back it.`,
    ),
    ...(await tooManyDatabases(client, databases)),
  ].map((text) => ({ blocks: true, text }));
}

/** Each database is replicated on its own. */
async function tooManyDatabases(client: Client, databases: number): Promise<string[]> {
  const { rows } = await client.query<{ room: number }>(`
    SELECT least(current_setting('max_replication_slots')::int - (SELECT count(*) FROM pg_replication_slots),
      current_setting('max_wal_senders')::int - (SELECT count(*) FROM pg_stat_replication),
      current_setting('max_logical_replication_workers')::int - 1)::int AS room`);
  const room = rows[0]?.room ?? 0;
  return databases <= room
    ? []
    : [
        `The cluster has ${databases} databases; at most ${room} can be moved at a time. Drop some, or move them to clusters of their own.`,
      ];
}
