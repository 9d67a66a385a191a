import { beforeAll, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { generateKeyPair } from './ssh-key';

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(async () => {
  await createCell();
  acme = await createProject('acme');
});

const create = (body: object, headers = {}) =>
  call('POST', '/compute/keypairs', { token: acme.users.member.token, body, headers });
const list = () => call('GET', '/compute/keypairs', { token: acme.users.reader.token });

describe('a key pair', () => {
  test('that is generated shows its private half once, also to a repeated Idempotency-Key, and keeps none', async () => {
    const headers = { 'Idempotency-Key': 'pair' };
    const created = await create({ name: 'generated key' }, headers);
    expect(created.body).toMatchObject({
      type: 'ssh-ed25519',
      public_key: expect.stringMatching(/^ssh-ed25519 \S+ generated-key$/),
      private_key: expect.stringContaining('BEGIN OPENSSH PRIVATE KEY'),
      fingerprint: expect.stringMatching(/^SHA256:/),
    });
    expect((await create({ name: 'generated key' }, headers)).text).toBe(created.text);
    expect((await list()).text).not.toContain('private_key');
    const { private_key } = created.body as { private_key: string };
    const secret = private_key.split('\n')[3] ?? '';
    const kept = [await prisma().keyPair.findMany(), await prisma().auditEntry.findMany()];
    expect(JSON.stringify(kept)).not.toContain(secret);
    const records = await prisma().idempotencyRecord.findMany();
    expect(records.some(({ answer }) => Buffer.from(answer ?? []).includes(secret))).toBe(false);
  });

  test('that is imported keeps its comment, and has no private half', async () => {
    const { public_key } = generateKeyPair('ada@example.org');
    const { body } = await create({ name: 'imported', public_key: `${public_key}\n` });
    expect(body).toMatchObject({ public_key });
    expect(body).not.toHaveProperty('private_key');
  });

  test('has a name of its own', async () => {
    await create({ name: 'taken' });
    expect((await create({ name: 'taken' })).body).toMatchObject({ error: { code: 'CONFLICT' } });
  });

  test('lets its owner into a new instance, and can then go', async () => {
    const pair = await create({ name: 'laptop' });
    const instance = await launch(call, acme, { key_pair_id: idOf(pair) });
    const { public_key } = pair.body as { public_key: string };
    expect(instance.body).toMatchObject({ ssh_public_key: public_key });
    const gone = await call('DELETE', `/compute/keypairs/${idOf(pair)}`, { token: acme.users.member.token });
    expect(gone.status).toBe(204);
    expect((await list()).text).not.toContain(idOf(pair));
  });
});
