import type { Cluster, Member } from '../cluster/clusters';
import { openSecrets } from '../secrets';
import { ask } from './connections';

/**
 * Makes the tenant's account and database, and sets the password: may be repeated. The account comes from the endpoint alone,
 * with TLS, owns its database and those whose names begin with it, and has no global privilege.
 */
export async function settleRoles(cluster: Cluster, primary: Pick<Member, 'id'>): Promise<void> {
  const { verifier } = openSecrets(cluster.id, cluster.sealed_secrets);
  const { username, database_name: database, address } = cluster;
  const run = (statement: string, values: unknown[] = []) =>
    ask(cluster, primary, statement, { values, timeoutMs: 10_000 });
  await run('CREATE DATABASE IF NOT EXISTS ??', [database]);
  await run('CREATE USER IF NOT EXISTS ?@? IDENTIFIED BY PASSWORD ? REQUIRE SSL', [username, address, verifier]);
  // One of a restored cluster that had the same address is locked.
  await run('ALTER USER ?@? IDENTIFIED BY PASSWORD ? REQUIRE SSL ACCOUNT UNLOCK', [username, address, verifier]);
  await run('GRANT ALL ON ??.* TO ?@?', [database, username, address]);
  // In a name of a grant, _ stands for any letter.
  await run('GRANT ALL ON ??.* TO ?@?', [`${database}\\_%`, username, address]);
}
