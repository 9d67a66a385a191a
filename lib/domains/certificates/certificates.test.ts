import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { startWorker } from '@/lib/core/operations/worker';
import { certificateUpload, testCertificate } from '@/lib/testing/certificates';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { startMailSink } from '@/lib/testing/mail-sink';
import { race } from '@/lib/testing/race';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { warnOfExpiringCertificates } from './acme/jobs';
import { mailCertificateSteps } from './acme/mail';
import type { Certificate } from './schema';
import { certificateUseRows, findCertificates, servedCertificates } from './uses';

const sink = await startMailSink();
Object.assign(process.env, { CERTIFICATES_PER_PROJECT: 4, ACME_ORDERS_PER_DAY: 2, SMTP_URL: sink.url });
afterAll(() => sink.close());
testDatabase();
const call = api();
let acme: TestProject;
let other: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
  other = await createProject('other');
});

const post = (body: object, project = acme) =>
  call('POST', '/gateway/certificates', { token: project.users.member.token, body });
const remove = (id: string, project = acme) =>
  call('DELETE', `/gateway/certificates/${id}`, { token: project.users.member.token });

async function upload(name: string, project = acme): Promise<Certificate> {
  const { status, body } = await post(await certificateUpload(name), project);
  expect(status).toBe(201);
  return body as Certificate;
}

/** Writes a use as another domain's `commit()` does. */
async function use(ids: readonly string[], user: { id: string; name: string }, project = acme) {
  const rows = Object.entries(certificateUseRows({ project_id: project.id, type: 'load_balancer', ...user }, ids));
  for (const [, row] of rows) await execute(sql`WITH verdict AS (SELECT true AS ok) ${row}`);
}

test('a key is in no answer, no audit entry, and nowhere in the database in the clear', async () => {
  const body = await certificateUpload('sealed');
  const { status, text } = await post(body);
  expect(status).toBe(201);
  const { id } = JSON.parse(text) as Certificate;
  const read = await call('GET', `/gateway/certificates/${id}`, { token: acme.users.reader.token });
  const [, secret = 'none'] = body.private_key_pem.split('\n');
  const rows = await query<{ all: string }>(sql`SELECT (SELECT string_agg(c::text, '') FROM certificates c)
    || (SELECT string_agg(a::text, '') FROM audit_entries a) AS all`);
  for (const seen of [text, read.text, rows[0]?.all ?? '']) {
    expect(seen).toContain('sealed');
    expect(seen).not.toContain(secret);
    expect(seen).not.toContain(Buffer.from(secret).toString('hex'));
    expect(seen).not.toContain('PRIVATE KEY');
  }
  expect((await servedCertificates(acme.id, [id]))[0]?.private_key_pem).toContain(secret);
  expect((await remove(id)).status).toBe(204);
  expect(await servedCertificates(acme.id, [id])).toEqual([]);
});

test('a key opens only for its own certificate and project', async () => {
  const { id } = await upload('bound');
  await execute(sql`UPDATE certificates SET project_id = ${other.id}::uuid WHERE id = ${id}::uuid`);
  await expect(servedCertificates(other.id, [id])).rejects.toThrow();
  await execute(sql`DELETE FROM certificates WHERE id = ${id}::uuid`);
});

test('a refused key is in no answer and no audit entry', async () => {
  const body = await certificateUpload('refused');
  const { private_key_pem } = await certificateUpload('stranger');
  const { status, text } = await post({ ...body, private_key_pem });
  expect(status).toBe(400);
  const [, secret = 'none'] = private_key_pem.split('\n');
  const entries = await query<{ all: string }>(sql`SELECT string_agg(a::text, '') AS all FROM audit_entries a`);
  expect(text + entries[0]?.all).not.toContain(secret);
});

test('a status follows the end of the certificate', async () => {
  const project = await createProject('ending');
  const days = { issued: 70, expiring: 80, expired: 90 - 1 / 1440 };
  for (const [name, started_days_ago] of Object.entries(days))
    expect((await post(await certificateUpload(name, { started_days_ago }), project)).status).toBe(201);
  await setTestClock(120_000);
  for (const status of Object.keys(days)) {
    const { body } = await call('GET', `/gateway/certificates?status=${status}`, { token: project.users.reader.token });
    expect((body as Certificate[]).map(({ name, status }) => [name, status])).toEqual([[status, status]]);
  }
  await setTestClock(0);
});

test('parallel creates stop exactly at the limit, which the refusal names', async () => {
  const project = await createProject('crowded');
  const bodies = await Promise.all(Array.from({ length: 8 }, (_, index) => certificateUpload(`number-${index}`)));
  const lock = `SELECT FROM project_accounts WHERE project_id = '${project.id}' FOR UPDATE`;
  const answers = await race(
    lock,
    bodies.map((body) => () => post(body, project)),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
  for (const { body } of answers.filter(({ status }) => status !== 201))
    expect(body).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('CERTIFICATES_PER_PROJECT') },
    });
});

test('a create with a key happens once, and create and delete are in the audit log once', async () => {
  const project = await createProject('once');
  const { token } = project.users.member;
  const request = { token, body: await certificateUpload('once'), headers: { 'Idempotency-Key': 'once' } };
  const [created, again] = [
    await call('POST', '/gateway/certificates', request),
    await call('POST', '/gateway/certificates', request),
  ];
  expect([again.status, again.text]).toEqual([201, created.text]);
  const { id } = created.body as Certificate;
  expect((await remove(id, project)).status).toBe(204);
  expect((await remove(id, project)).status).toBe(404);
  const entries = await query<{ action: string }>(
    sql`SELECT action FROM audit_entries WHERE resource_id = ${id}::text AND result = 'succeeded' ORDER BY id`,
  );
  expect(entries.map(({ action }) => action)).toEqual(['certificate.create', 'certificate.delete']);
});

test('a name is taken once', async () => {
  const project = await createProject('naming');
  await upload('same', project);
  expect((await post(await certificateUpload('same'), project)).status).toBe(409);
});

test('a list finds certificates by one of their names', async () => {
  const { certificate, key } = await testCertificate({ names: ['found.example.com', '*.found.example.com'] });
  const { status } = await post({ name: 'two names', certificate_pem: certificate, private_key_pem: key });
  expect(status).toBe(201);
  const names = async (domain: string) => {
    const list = await call('GET', `/gateway/certificates?domain=${domain}`, { token: acme.users.reader.token });
    return (list.body as Certificate[]).map(({ name }) => name);
  };
  expect(await names('FOUND.example.com')).toEqual(['two names']);
  expect(await names('example.com')).toEqual([]);
});

describe('a certificate in use', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await createProject('using');
  });

  test('says by what, and cannot be deleted until nothing uses it', async () => {
    const { id } = await upload('served', project);
    const user = { id: newId(), name: 'web' };
    await use([id], user, project);
    const read = await call('GET', `/gateway/certificates/${id}`, { token: project.users.reader.token });
    expect(read.body).toMatchObject({ used_by: [{ type: 'load_balancer', ...user }] });
    expect((await remove(id, project)).body).toMatchObject({
      error: { code: 'CONFLICT', message: 'Certificate served is in use by load balancer web. Remove it there first.' },
    });
    await use([], user, project);
    expect((await remove(id, project)).status).toBe(204);
  });

  test('cannot be deleted while a use is being written', async () => {
    const { id } = await upload('raced', project);
    const write = `INSERT INTO certificate_uses (certificate_id, resource_id, project_id, resource_type, resource_name)
      VALUES ('${id}', '${newId()}', '${project.id}', 'route', 'r')`;
    const [removal] = await race(write, [() => remove(id, project)]);
    expect(removal?.status).toBe(409);
  });

  test('of another project cannot be used', async () => {
    const { id } = await upload('foreign', other);
    expect(await findCertificates(project.id, [id, 'malformed'])).toEqual([]);
    expect(await servedCertificates(project.id, [id])).toEqual([]);
    await expect(use([id], { id: newId(), name: 'thief' }, project)).rejects.toThrow('foreign key');
  });
});

describe('an order from a certificate authority', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await createProject('ordering');
  });
  const order = (name: string, domains: string[]) => post({ name, domains, issuer: 'acme' }, project);

  test.each([
    ['a wildcard', (slug: string) => `*.${slug}.apps.localhost`, 'must not be a wildcard'],
    ['a host of another project', () => `www.${other.slug}.apps.localhost`, 'does not belong to this project'],
    [
      'a host whose end only resembles the project’s',
      (slug: string) => `www.x${slug}.apps.localhost`,
      'does not belong',
    ],
    ['the platform’s own domain', () => 'apps.localhost', 'does not belong to this project'],
    ['any other host', () => 'www.example.com', 'does not belong to this project'],
    ['an address', () => '192.0.2.1', 'must be a host name'],
    ['a name with a path', (slug: string) => `a/b.${slug}.apps.localhost`, 'must be a host name'],
  ])('for %s is refused', async (_, domain, message) => {
    const { status, body } = await order('refused', [domain(project.slug)]);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { message: expect.stringContaining(message) } });
  });

  test('is refused together with an uploaded certificate, and without domains', async () => {
    const upload = await certificateUpload('both');
    const domains = [`www.${project.slug}.apps.localhost`];
    expect((await post({ ...upload, issuer: 'acme', domains }, project)).status).toBe(400);
    expect((await post({ ...upload, domains }, project)).status).toBe(400);
    expect((await post({ name: 'none', issuer: 'acme' }, project)).status).toBe(400);
    expect((await post({ name: 'nothing' }, project)).status).toBe(400);
  });

  test('counts towards the day’s limit, also after its certificate is deleted', async () => {
    const { slug } = project;
    const first = await order('one', [`one.${slug}.apps.localhost`]);
    expect(first.body).toMatchObject({ status: 'pending', issuer: 'acme', domains: [`one.${slug}.apps.localhost`] });
    expect((await order('two', [`two.${slug}.apps.localhost`])).status).toBe(201);
    expect((await remove((first.body as Certificate).id, project)).status).toBe(204);
    const refused = await order('three', [`three.${slug}.apps.localhost`]);
    expect(refused.body).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('ACME_ORDERS_PER_DAY') },
    });
    await execute(sql`UPDATE acme_orders SET created_at = created_at - interval '1 day'`);
    expect((await order('three', [`three.${slug}.apps.localhost`])).status).toBe(201);
  });
});

test('members are told once in the portal that a certificate ends within 14 days, and administrators by mail', async () => {
  const project = await createProject('warned');
  const { body } = await post(await certificateUpload('ending', { started_days_ago: 80 }), project);
  const { id } = body as Certificate;
  await post(await certificateUpload('fresh'), project);
  const { signal } = new AbortController();
  await warnOfExpiringCertificates(signal);
  await warnOfExpiringCertificates(signal);
  for (const person of [project.users.admin, project.users.member]) {
    const { body: notices } = await call('GET', '/notifications', { token: person.token });
    expect(notices).toMatchObject([
      { kind: 'certificate_ending', resource: { type: 'certificate', id, name: 'ending' } },
    ]);
    expect(notices).toHaveLength(1);
  }
  const mails = await query<{ input: object }>(sql`SELECT input FROM operations
    WHERE kind = 'certificate.mail' AND input->>'certificate_id' = ${id}::text`);
  expect(mails).toEqual([{ input: { certificate_id: id, user_id: project.users.admin.id, about: 'expiring' } }]);
});

test('a mail to an administrator says which certificate ends, when, and where to replace it', async () => {
  const project = await createProject('mailed');
  const { body } = await post(await certificateUpload('mailed', { started_days_ago: 80 }), project);
  const { id, not_after } = body as Certificate;
  await warnOfExpiringCertificates(new AbortController().signal);
  const worker = startWorker({ steps: [mailCertificateSteps], jobs: [] });
  await vi.waitFor(() => expect(sink.received.map(({ to }) => to)).toContain(project.users.admin.email), 20_000);
  await worker.stop();
  const { raw = '' } = sink.received.find(({ to }) => to === project.users.admin.email) ?? {};
  for (const part of ['mailed', not_after?.slice(0, 10) ?? '', `/projects/${project.slug}/network/certificates/${id}`])
    expect(raw.replace(/=\r\n/g, '')).toContain(part);
});
