import { type Client, escapeIdentifier as id, escapeLiteral as text } from 'pg';
import { ANY_DATABASE, type Side, using } from './side';

type Role = {
  name: string;
  inherit: boolean;
  create_role: boolean;
  create_db: boolean;
  login: boolean;
  replication: boolean;
  bypass_rls: boolean;
  connections: number;
  password: string | null;
  until: string | null;
};

type Membership = {
  role: string;
  member: string;
  grantor: string | null;
  admin: boolean;
  inherit: boolean;
  set: boolean;
};
type Setting = { role: string | null; database: string | null; setting: string };

/** Of a row `r` of roles: neither PostgreSQL's own, nor the platform's. */
const IS_TENANTS = String.raw`(NOT r.rolsuper AND r.oid >= 16384 AND r.rolname NOT LIKE 'nephele\_%')`;

/**
 * Makes the roles of one side those of the other: attributes, passwords as they are stored, memberships, and the settings of
 * roles and databases. Superusers are the platform's own, and stay as they are. Runs before an upgrade's copy, and again
 * before the way back, because roles are changed outside of any database and are never replicated.
 */
export async function copyRoles(from: Side, to: Side): Promise<void> {
  const { roles, memberships } = await using(from, ANY_DATABASE, readRoles);
  await using(to, ANY_DATABASE, async (client) => {
    const { rows } = await client.query<{ name: string; own: boolean }>(
      `SELECT r.rolname AS name, NOT ${IS_TENANTS} AS own FROM pg_roles r`,
    );
    const present = new Map(rows.map(({ name, own }) => [name, own]));
    const kept = new Set(roles.map(({ name }) => name));
    for (const [name, own] of present) {
      // Dropped on the other side, it may still own something here: it only loses its way in.
      if (!own && !kept.has(name)) await client.query(`ALTER ROLE ${id(name)} NOLOGIN PASSWORD NULL`);
    }
    for (const role of roles) {
      if (!present.has(role.name)) await client.query(`CREATE ROLE ${id(role.name)}`);
      if (!present.get(role.name)) await client.query(attributes(role));
    }
    await revokeOthers(client, memberships);
    await grantMemberships(client, memberships, from.major >= 16 && to.major >= 16);
  });
}

/** Settings by `ALTER ROLE … SET` and `ALTER DATABASE … SET`, once the databases are there. */
export async function copySettings(from: Side, to: Side): Promise<void> {
  const settings = await using(from, ANY_DATABASE, readSettings);
  await using(to, ANY_DATABASE, async (client) => {
    for (const one of settings) await client.query(assignment(one));
  });
}

async function readRoles(client: Client): Promise<{ roles: Role[]; memberships: Membership[] }> {
  const roles = await client.query<Role>(`
    SELECT rolname AS name, rolinherit AS inherit, rolcreaterole AS create_role, rolcreatedb AS create_db,
      rolcanlogin AS login, rolreplication AS replication, rolbypassrls AS bypass_rls, rolconnlimit AS connections,
      rolpassword AS password, rolvaliduntil::text AS until
    FROM pg_authid r WHERE ${IS_TENANTS} ORDER BY rolname`);
  return { roles: roles.rows, memberships: await readMemberships(client) };
}

async function readMemberships(client: Client): Promise<Membership[]> {
  const { rows } = await client.query<Membership>(`
    SELECT o.rolname AS role, r.rolname AS member, CASE WHEN g.rolsuper THEN NULL ELSE g.rolname END AS grantor,
      a.admin_option AS admin, coalesce((to_jsonb(a) ->> 'inherit_option')::boolean, r.rolinherit) AS inherit,
      coalesce((to_jsonb(a) ->> 'set_option')::boolean, true) AS set
    FROM pg_auth_members a JOIN pg_roles o ON o.oid = a.roleid JOIN pg_roles r ON r.oid = a.member
    LEFT JOIN pg_roles g ON g.oid = a.grantor
    WHERE ${IS_TENANTS} AND NOT o.rolsuper ORDER BY grantor NULLS FIRST, o.rolname, r.rolname`);
  return rows;
}

async function revokeOthers(client: Client, wanted: readonly Membership[]): Promise<void> {
  const kept = new Set(wanted.map(({ role, member }) => `${role}\0${member}`));
  for (const { role, member, grantor } of await readMemberships(client)) {
    if (kept.has(`${role}\0${member}`)) continue;
    const by = grantor === null ? '' : ` GRANTED BY ${id(grantor)}`;
    await client.query(`REVOKE ${id(role)} FROM ${id(member)}${by} CASCADE`);
  }
}

async function readSettings(client: Client): Promise<Setting[]> {
  const { rows } = await client.query<Setting>(`
    SELECT r.rolname AS role, d.datname AS database, unnest(s.setconfig) AS setting
    FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase
    WHERE NOT coalesce(r.rolsuper, false) AND (r.oid IS NOT NULL OR d.oid IS NOT NULL)`);
  return rows;
}

function attributes(role: Role): string {
  const flag = (is: boolean, word: string) => (is ? word : `NO${word}`);
  return [
    `ALTER ROLE ${id(role.name)} WITH NOSUPERUSER`,
    flag(role.inherit, 'INHERIT'),
    flag(role.create_role, 'CREATEROLE'),
    flag(role.create_db, 'CREATEDB'),
    flag(role.login, 'LOGIN'),
    flag(role.replication, 'REPLICATION'),
    flag(role.bypass_rls, 'BYPASSRLS'),
    `CONNECTION LIMIT ${role.connections}`,
    `PASSWORD ${role.password === null ? 'NULL' : text(role.password)}`,
    `VALID UNTIL ${text(role.until ?? 'infinity')}`,
  ].join(' ');
}

/** A grant by a role that got its own right by a later grant waits for that one. */
async function grantMemberships(client: Client, memberships: readonly Membership[], detailed: boolean): Promise<void> {
  let waiting = [...memberships];
  while (waiting.length > 0) {
    const refused: { membership: Membership; error: unknown }[] = [];
    for (const membership of waiting) {
      await client.query(grant(membership, detailed)).catch((error: unknown) => refused.push({ membership, error }));
    }
    if (refused.length === waiting.length) throw refused[0]?.error;
    waiting = refused.map(({ membership }) => membership);
  }
}

/** Options besides ADMIN, and grantors that mean something, came with 16. */
function grant({ role, member, grantor, admin, inherit, set }: Membership, detailed: boolean): string {
  const basic = `GRANT ${id(role)} TO ${id(member)}`;
  if (!detailed) return `${basic}${admin ? ' WITH ADMIN OPTION' : ''}`;
  const options = `WITH ADMIN ${admin}, INHERIT ${inherit}, SET ${set}`;
  return `${basic} ${options}${grantor === null ? '' : ` GRANTED BY ${id(grantor)}`}`;
}

/** Settings whose value is a list are stored as they are written. */
const LISTS = new Set([
  'local_preload_libraries',
  'search_path',
  'session_preload_libraries',
  'temp_tablespaces',
  'unix_socket_directories',
]);

/** Each element as a literal: a list is stored as its owner wrote it, which need not be what PostgreSQL would write. */
export function listed(value: string): string {
  const elements = [...value.matchAll(/"((?:[^"]|"")*)"|[^\s,]+/g)].map(([whole, inner]) =>
    text(inner === undefined ? whole.toLowerCase() : inner.replaceAll('""', '"')),
  );
  return elements.length > 0 ? elements.join(', ') : "''";
}

function assignment({ role, database, setting }: Setting): string {
  const [name = '', value = ''] = setting.split(/=(.*)/s);
  const place = database === null ? '' : `IN DATABASE ${id(database)} `;
  const whom = role === null ? `DATABASE ${id(database ?? '')}` : `ROLE ${id(role)} ${place}`.trimEnd();
  return `ALTER ${whom} SET ${id(name)} TO ${LISTS.has(name) ? listed(value) : text(value)}`;
}
