import { createHash } from 'node:crypto';
import type { Cluster } from '../cluster/clusters';
import { openSecrets } from '../secrets';

type Own = Pick<Cluster, 'id' | 'sealed_secrets' | 'username' | 'database_name'>;

/** The accounts of a member: the platform's and the tenant's, as the member reads them. */
export function renderUsers({ id, sealed_secrets, username, database_name }: Own): string {
  const { superuser, verifier } = openSecrets(id, sealed_secrets);
  return `${JSON.stringify({ superuser, username, password: verifier, database: database_name })}\n`;
}

/** What a member says once these accounts are the ones that it takes. */
export const usersMark = (cluster: Own): string => createHash('sha256').update(renderUsers(cluster)).digest('hex');
