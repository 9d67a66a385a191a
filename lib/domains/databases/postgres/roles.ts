import { escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import type { Cluster, Member } from '../cluster/clusters';
import { openSecrets } from '../secrets';
import { ask } from './connections';
import { REPLICATION_ROLE } from './settings-file';

/**
 * Makes the roles and the tenant's database on the primary, and sets their passwords: may be repeated. The tenant owns a
 * database and may do nothing outside it.
 */
export async function settleRoles(cluster: Cluster, primary: Pick<Member, 'id'>): Promise<void> {
  const { replication, verifier } = openSecrets(cluster.id, cluster.sealed_secrets);
  const { username, database_name } = cluster;
  const run = (statement: string, database?: string) =>
    ask(cluster, primary, statement, { timeoutMs: 10_000, ...(database ? { database } : {}) });
  const ensure = async (role: string, options: string, password: string) => {
    const found = await run(`SELECT FROM pg_roles WHERE rolname = ${literal(role)}`);
    await run(
      `${found.length > 0 ? 'ALTER' : 'CREATE'} ROLE ${name(role)} WITH LOGIN ${options} PASSWORD ${literal(password)}`,
    );
  };
  await ensure(REPLICATION_ROLE, 'REPLICATION NOSUPERUSER NOCREATEDB NOCREATEROLE', replication);
  await ensure(username, 'NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', verifier);
  await run(`GRANT pg_read_all_stats TO ${name(username)}`);
  const databases = await run(`SELECT FROM pg_database WHERE datname = ${literal(database_name)}`);
  if (databases.length === 0) await run(`CREATE DATABASE ${name(database_name)} OWNER ${name(username)}`);
  await run(`REVOKE ALL ON DATABASE ${name(database_name)} FROM PUBLIC`);
  // Only the owner's own database is for tenants.
  for (const system of ['postgres', 'template1']) await run(`REVOKE ALL ON DATABASE ${system} FROM PUBLIC`);
  await run('CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public', database_name);
  await run(`ALTER SCHEMA public OWNER TO ${name(username)}`, database_name);
}
