import { beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { raw, sql } from '@/lib/core/db/sql';
import { newSealedKey } from '@/lib/domains/certificates/acme/sealed';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { ensureCertificate } from '@/lib/hosts/certificates/certificates';
import { encryptionKeys, keyIds } from '@/lib/keyring';
import { recordsOf } from '@/lib/people/oidc/adapter';
import { ssoKeys } from '@/lib/people/oidc/keys';
import { dropOlderKeys, rotateKeys } from '@/lib/runtime/keys';
import { sealedColumns } from '@/lib/runtime/sealed-columns';
import { certificateUpload } from '@/lib/testing/certificates';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { api, createProject, createUser, type TestProject } from '@/lib/testing/world';
import { resealAll, sealedWithOlderKeys } from './reseal';
import { sealedWith } from './seal';

// No mail is delivered here, so invitations stay queued with their sealed content.
process.env.SMTP_URL = 'smtp://127.0.0.1:9';
testDatabase();
const call = api();
let acme: TestProject;

/** Creates one of everything that is stored sealed. */
beforeAll(async () => {
  acme = await createProject('acme');
  const { token } = acme.users.admin;
  await store('before', token);
  expect((await call('POST', '/auth/2fa/setup', { token, body: {} })).status).toBe(200);
  expect((await call('GET', '/billing/alerts/signing-secret', { token })).status).toBe(200);
  expect((await call('POST', '/billing/alerts/signing-secret/rotate', { token, body: {} })).status).toBe(200);
  const uploaded = await call('POST', '/gateway/certificates', { token, body: await certificateUpload('sealed') });
  expect(uploaded.status).toBe(201);
  expect((await call('POST', '/storage/credentials', { token, body: {} })).status).toBe(201);
  const { email } = await createUser('known@example.test');
  const invited = { email, name: 'Known', password: 'never used at all', role: 'reader' };
  expect((await call('POST', '/identity/users', { token, body: invited })).status).toBe(201);
  const names = { common_name: 'one', dns_names: ['one.internal'], addresses: [] };
  await ssoKeys();
  await recordsOf('Session', () => undefined).upsert('session', { exp: Date.parse('2100-01-01') / 1000 }, 60);
  const [account, order] = [newId(), newId()];
  const common = { created_at: new Date() };
  await prisma().acmeAccount.create({
    data: {
      ...common,
      id: account,
      directory_url: 'x',
      sealed_key: new Uint8Array(newSealedKey('acme_account', account)),
    },
  });
  await prisma().acmeOrder.create({
    data: { ...common, id: order, project_id: acme.id, sealed_key: new Uint8Array(newSealedKey('acme_order', order)) },
  });
  await ensureProjectNetworking(acme.id);
  await createCell();
  const database = { name: 'orders', vcpus: 1, ram_gb: 1, storage_gb: 1 };
  expect((await call('POST', '/dbaas/postgres', { token, body: database })).status).toBe(201);
  const code = 'def handler(event, context):\n    return event\n';
  const fn = { name: 'sealed', template_id: 'python3.11', code, env: { KEY: 'value' } };
  expect((await call('POST', '/functions', { token, body: fn })).status).toBe(201);
  await ensureCertificate({ id: acme.id, kind: 'test', project_id: acme.id }, 'server', { ...names, usage: 'server' });
});

/** Rotates the key; processes pick up a rotation within a second. */
async function rotated(): Promise<string> {
  const fresh = rotateKeys('encryption');
  await vi.waitFor(() => expect(encryptionKeys().current.id).toBe(fresh), { timeout: 5000, interval: 20 });
  return fresh;
}

const store = (name: string, token: string) =>
  call('POST', '/vault/secrets', { token, body: { name, type: 'opaque', payload: `value of ${name}` } });

/** The ids of the keys in use, by column. */
async function keysInUse(): Promise<Record<string, readonly string[]>> {
  const entries = sealedColumns.map(async ({ table, column }) => {
    const rows = await query<{ box: Buffer }>(
      sql`SELECT ${raw(column)} AS box FROM ${raw(table)} WHERE ${raw(column)} IS NOT NULL`,
    );
    return [`${table}.${column}`, [...new Set(rows.map(({ box }) => sealedWith(box)))]] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe('after a rotation of the encryption key', () => {
  test('all sealed values are resealed and readable, and the old key can be removed', async () => {
    const [former = ''] = keyIds('encryption');
    expect(Object.values(await keysInUse())).toEqual(sealedColumns.map(() => [former]));
    const fresh = await rotated();
    await store('after', acme.users.admin.token);
    expect(await sealedWithOlderKeys(sealedColumns)).toBeGreaterThanOrEqual(sealedColumns.length);

    // The database cluster has an authority beside the certificate of the test.
    expect(await resealAll(sealedColumns)).toBe(sealedColumns.length + 1);
    expect(Object.values(await keysInUse())).toEqual(sealedColumns.map(() => [fresh]));
    expect(await resealAll(sealedColumns)).toBe(0);
    await prisma().idempotencyRecord.deleteMany();
    expect(await sealedWithOlderKeys(sealedColumns)).toBe(0);
    expect(dropOlderKeys('encryption')).toEqual([former]);
    expect(keyIds('encryption')).toEqual([fresh]);

    const { token } = acme.users.admin;
    const list = (await call('GET', '/vault/secrets?name=before', { token })).body as { id: string }[];
    const payload = await call('GET', `/vault/secrets/${list[0]?.id}/payload`, { token });
    expect(payload.body).toMatchObject({ payload: 'value of before' });
    expect((await call('GET', '/billing/alerts/signing-secret', { token })).status).toBe(200);
  });

  test('a stored answer with a secret counts until it expires', async () => {
    const { token } = acme.users.admin;
    const headers = { 'Idempotency-Key': 'token-1' };
    const body = { name: 'nightly', role: 'reader' };
    expect((await call('POST', '/auth/tokens', { token, body, headers })).status).toBe(201);
    await rotated();
    await resealAll(sealedColumns);
    expect(await sealedWithOlderKeys(sealedColumns)).toBe(1);
  });
});

test('every bytes column is declared as sealed or as not sealed', async () => {
  const columns = await query<{ place: string }>(sql`
    SELECT table_name || '.' || column_name AS place FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea' ORDER BY 1`);
  const sealed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  const others = columns.map(({ place }) => place).filter((place) => !sealed.includes(place));
  expect(others).toMatchInlineSnapshot(`
    [
      "account_links.token_hash",
      "api_tokens.token_hash",
      "audit_entries.tally",
      "console_sessions.cookie_hash",
      "console_sessions.ticket_hash",
      "idempotency_records.answer",
      "idempotency_records.id",
      "idempotency_records.request_hash",
      "log_chunks.body",
      "log_chunks.grams",
      "log_streams.hash",
      "memberships.acceptance_code_hash",
      "object_blobs.md5",
      "object_versions.content",
      "oidc_clients.secret_hash",
      "oidc_records.grant_hash",
      "oidc_records.key_hash",
      "oidc_records.uid_hash",
      "recovery_codes.code_hash",
      "secrets.ciphertext",
    ]
  `);
});
