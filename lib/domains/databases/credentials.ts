import type { DatabaseEngine } from './engines';
import { keyDigest } from './qdrant/key-digest';
import type { DatabaseCredentials } from './schema';
import { type ClusterSecrets, nativeVerifier, newPassword, scramVerifier } from './secrets';
import { passwordHash } from './valkey/settings-file';

/** What a tenant's clients present to an engine. */
type Account = {
  /** Null where clients present an API key instead of a name and a password. */
  username: string | null;
  database: string | null;
  /** What members verify a password by: all that is kept of it. */
  verifierOf(password: string): string;
};

const accounts: Record<DatabaseEngine, Account> = {
  postgres: { username: 'app', database: 'app', verifierOf: scramVerifier },
  mysql: { username: 'app', database: 'app', verifierOf: nativeVerifier },
  valkey: { username: 'app', database: null, verifierOf: passwordHash },
  // Its server takes passwords alone: they are kept sealed, and nowhere else.
  mongodb: { username: 'app', database: 'app', verifierOf: (password) => password },
  qdrant: { username: null, database: null, verifierOf: keyDigest },
};

export const accountOf = (engine: DatabaseEngine): Account => accounts[engine];

/** A new password or API key of the tenant's: what is shown once, and what is kept of it. */
export function newCredentials(engine: DatabaseEngine): { shown: DatabaseCredentials; verifier: string } {
  const { username, database, verifierOf } = accountOf(engine);
  const password = newPassword();
  const verifier = verifierOf(password);
  if (username === null) return { shown: { api_key: password }, verifier };
  return { shown: { username, password, ...(database === null ? {} : { database }) }, verifier };
}

/** The secrets of a new cluster: the accounts of the platform, which are the same in every engine, and the tenant's. */
export const newSecrets = (verifier: string): ClusterSecrets => ({
  superuser: newPassword(),
  replication: newPassword(),
  verifier,
});
