import type acme from 'acme-client';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import { acmeClient, asking } from './client';
import { newSealedKey, openSealedKey } from './sealed';

/** The platform's account at the certificate authority. */
export type AcmeAccount = { id: string; url: string; key: string; created_at: Date };

type Row = { id: string; url: string | null; sealed_key: Buffer; created_at: Date };

const findRow = () =>
  queryOne<Row>(sql`SELECT id, url, sealed_key, created_at FROM acme_accounts
    WHERE directory_url = ${settings().acme.directoryUrl}::text`);

/** Stores the key before the authority sees it, so that a crash loses no account. Of two concurrent calls one succeeds. */
async function ensureRow(): Promise<Row> {
  const present = await findRow();
  if (present) return present;
  const id = newId();
  await execute(sql`INSERT INTO acme_accounts (id, directory_url, sealed_key, created_at)
    VALUES (${id}::uuid, ${settings().acme.directoryUrl}::text, ${newSealedKey('acme_account', id)}::bytea, platform_now())
    ON CONFLICT (directory_url) DO NOTHING`);
  const stored = await findRow();
  if (!stored) throw new Error('The account at the certificate authority was just replaced.');
  return stored;
}

/** The registered account. Registering a key again gives the same account (RFC 8555, 7.3.1). */
export async function ensureAccount(): Promise<AcmeAccount> {
  const { id, url, sealed_key, created_at } = await ensureRow();
  const key = openSealedKey('acme_account', id, sealed_key);
  if (url !== null) return { id, url, key, created_at };
  const registered = await register(acmeClient(key));
  await execute(sql`UPDATE acme_accounts SET url = ${registered}::text WHERE id = ${id}::uuid`);
  return { id, url: registered, key, created_at };
}

async function register(client: acme.Client): Promise<string> {
  const { email } = settings().acme;
  try {
    await asking(client.createAccount({ termsOfServiceAgreed: true, ...(email && { contact: [`mailto:${email}`] }) }));
  } catch (error) {
    // The library updates an account that is registered already, and authorities refuse an update without changes.
    if (!isRegistered(client)) throw error;
  }
  return client.getAccountUrl();
}

function isRegistered(client: acme.Client): boolean {
  try {
    return client.getAccountUrl() !== '';
  } catch {
    return false;
  }
}

/** Forgets an account that the authority has revoked; the next order registers a new one. */
export const forgetAccount = (id: string) => execute(sql`DELETE FROM acme_accounts WHERE id = ${id}::uuid`);
