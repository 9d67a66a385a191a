import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { reportIncident } from '@/lib/core/incidents/incident';
import { notifyOfEndingCertificates } from '@/lib/domains/secrets/work';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, createUser, signIn, type TestProject } from '@/lib/testing/world';
import type { Notification } from './schema';

testDatabase();
const call = api();
let acme: TestProject;
beforeEach(async () => {
  acme = await createProject('acme');
});

type Role = 'admin' | 'member' | 'reader';
async function list(token: string, path = '/notifications'): Promise<Notification[]> {
  const answer = await call('GET', path, { token });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as Notification[];
}
const listed = (role: Role, filter = '') => list(acme.users[role].token, `/notifications${filter}`);
const unread = async (token: string) => (await call('GET', '/notifications/unread-count', { token })).body;
const hints = (userId: string) =>
  query(sql`SELECT project_id FROM changes WHERE topic = 'notification' AND resource_id = ${userId}::text`);

async function crossThreshold(threshold = 80): Promise<void> {
  await execute(sql`INSERT INTO budget_alerts (id, project_id, month, threshold, limit_usd, spend_usd, frozen, crossed_at, created_at)
    VALUES (${newId()}::uuid, ${acme.id}::uuid, '2026-03-01', ${threshold}::int, 250, 200, false, platform_now(), platform_now())`);
}

async function fail(parent: string | null = null): Promise<string> {
  const [id, resource] = [newId(), newId()];
  await execute(sql`INSERT INTO operations (id, project_id, kind, resource_type, resource_id, stage, status, input, scope, run_at, deadline_at,
      parent_id, child_name, created_at, updated_at)
    VALUES (${id}::uuid, ${acme.id}::uuid, 'instance.create', 'instance', ${resource}::uuid, 'image', 'pending', '{}', 'platform',
      platform_now(), platform_now(), ${parent}::uuid, ${parent === null ? null : 'part'}::text, platform_now(), platform_now())`);
  await execute(sql`UPDATE operations SET status = 'failed', error = 'The image cannot be read.', finished_at = platform_now()
    WHERE id = ${id}::uuid`);
  return id;
}

describe('people are notified', () => {
  test('of a budget threshold: every member, each with a hint for their open pages', async () => {
    await crossThreshold();
    for (const role of ['admin', 'member', 'reader'] as const) {
      const facts = { month: '2026-03', threshold_percent: 80, limit_usd: '250', frozen: false };
      const resource = { type: 'budget', id: acme.id, name: null };
      expect(await listed(role)).toMatchObject([
        { kind: 'budget_threshold', project_id: acme.id, resource, facts, read_at: null },
      ]);
      expect(await hints(acme.users[role].id)).toEqual([{ project_id: null }]);
    }
  });

  test('of a failed operation: those who can act on it, and not for its child operations', async () => {
    await fail(await fail());
    const facts = { operation: 'instance.create', reason: 'The image cannot be read.' };
    expect(await listed('member')).toMatchObject([{ kind: 'operation_failed', facts }]);
    expect(await listed('reader')).toEqual([]);
  });

  test('of an invitation, until it is declined', async () => {
    const guest = await createUser(`guest-${newId()}@example.com`);
    const body = { email: guest.email, name: 'Guest', password: 'correct horse battery', role: 'reader' };
    expect((await call('POST', '/identity/users', { token: acme.users.admin.token, body })).status).toBe(201);
    expect(await list(guest.token)).toMatchObject([{ kind: 'invitation', resource: { type: 'project', id: acme.id } }]);
    await call('POST', `/auth/invitations/${acme.id}/decline`, { token: guest.token, body: {} });
    expect(await list(guest.token)).toEqual([]);
  });

  test('of an expiring certificate: once per threshold, however often a worker checks', async () => {
    const secret = { name: 'tls', type: 'opaque', payload: 'x' };
    await call('POST', '/vault/secrets', { token: acme.users.member.token, body: secret });
    const expireIn = (days: number) =>
      execute(sql`UPDATE secrets SET type = 'certificate', expires_at = date_trunc('second', platform_now() + ${days}::int * interval '1 day')
        WHERE project_id = ${acme.id}::uuid`);
    await expireIn(40);
    await notifyOfEndingCertificates();
    expect(await listed('member')).toEqual([]);
    await expireIn(20);
    await Promise.all([notifyOfEndingCertificates(), notifyOfEndingCertificates()]);
    await notifyOfEndingCertificates();
    expect(await listed('member')).toMatchObject([
      { kind: 'certificate_ending', resource: { type: 'secret', name: 'tls' } },
    ]);
    await expireIn(5);
    await notifyOfEndingCertificates();
    expect(await listed('member')).toHaveLength(2);
  });

  test('of an incident: administrators, in the back office only', async () => {
    const root = await createUser(`root-${newId()}@example.com`, 'backoffice');
    const resource = { type: 'instance', id: newId() };
    await reportIncident({ key: newId(), project_id: acme.id, resource, reason: 'The deadline has passed.' });
    const facts = { reason: 'The deadline has passed.', tenant_id: acme.id };
    const [incident] = await list(root.token, '/admin/api/v1/notifications');
    expect(incident).toMatchObject({ kind: 'incident', facts, read_at: null });
    expect(await listed('admin')).toEqual([]);
    const path = `/admin/api/v1/notifications/${incident?.id}/read`;
    expect((await call('POST', path, { token: root.token, body: {} })).status).toBe(204);
    expect(await list(root.token, '/admin/api/v1/notifications?unread=true')).toEqual([]);
  });

  test('together with the cause or not at all', async () => {
    await expect(
      execute(sql`WITH alert AS (INSERT INTO budget_alerts (id, project_id, month, threshold, limit_usd, spend_usd, frozen, crossed_at, created_at)
        VALUES (${newId()}::uuid, ${acme.id}::uuid, '2026-03-01', 90, 250, 200, false, platform_now(), platform_now()) RETURNING 1)
        SELECT 1 / (count(*) - 1) FROM alert`),
    ).rejects.toThrow('division by zero');
    expect(await listed('admin')).toEqual([]);
  });
});

test('one is marked read, then all, for this person only', async () => {
  for (const threshold of [50, 80, 90]) await crossThreshold(threshold);
  const { token } = acme.users.admin;
  const [newest] = await listed('admin');
  expect(newest).toMatchObject({ facts: { threshold_percent: 90 } });
  expect(await unread(token)).toEqual({ unread: 3 });
  const read = (as: string) => call('POST', `/notifications/${newest?.id}/read`, { token: as, body: {} });
  expect((await read(acme.users.member.token)).status).toBe(404);
  expect((await read(token)).status).toBe(204);
  const [first] = await listed('admin', '?unread=false');
  expect((await read(token)).status).toBe(204);
  expect(await listed('admin', '?unread=false')).toEqual([first]);
  expect(await unread(token)).toEqual({ unread: 2 });
  expect((await call('POST', '/notifications/read-all', { token, body: {} })).status).toBe(204);
  expect(await unread(token)).toEqual({ unread: 0 });
  expect(await unread(acme.users.member.token)).toEqual({ unread: 3 });
});

test('a muted kind creates no notification for this person', async () => {
  const { token } = acme.users.admin;
  const put = await call('PUT', '/notifications/preferences', { token, body: { muted: ['budget_threshold'] } });
  expect(put.body).toEqual({ muted: ['budget_threshold'] });
  expect((await call('GET', '/notifications/preferences', { token })).body).toEqual(put.body);
  await crossThreshold();
  await fail();
  expect(await listed('admin')).toMatchObject([{ kind: 'operation_failed' }]);
  expect(await listed('reader')).toHaveLength(1);
});

test('an administrator mutes incidents; kinds muted in the portal stay muted, and the other way round', async () => {
  const root = await createUser(`root-${newId()}@example.com`, 'backoffice');
  const portal = { path: '/notifications/preferences', token: await signIn(root.id) };
  const office = { path: '/admin/api/v1/notifications/preferences', token: root.token };
  const mute = async ({ path, token }: typeof portal, muted: string[]) =>
    expect((await call('PUT', path, { token, body: { muted } })).body).toEqual({ muted });
  const read = async ({ path, token }: typeof portal) => (await call('GET', path, { token })).body;

  expect(await read(office)).toEqual({ muted: [] });
  await mute(portal, ['invitation']);
  await mute(office, ['incident']);
  await mute(portal, ['certificate_ending']);
  expect([await read(portal), await read(office)]).toEqual([
    { muted: ['certificate_ending'] },
    { muted: ['incident'] },
  ]);
  const incident = () =>
    reportIncident({ key: newId(), project_id: null, resource: { type: 'instance', id: newId() }, reason: 'Lost.' });
  await incident();
  expect(await list(root.token, '/admin/api/v1/notifications')).toEqual([]);
  await mute(office, []);
  await incident();
  expect(await list(root.token, '/admin/api/v1/notifications')).toHaveLength(1);
});

test('pages of the list follow each other, newest first', async () => {
  for (const threshold of [50, 80, 90]) await crossThreshold(threshold);
  const { token } = acme.users.admin;
  const first = await call('GET', '/notifications?limit=2', { token });
  const next = first.headers.get('link')?.match(/api\/v1([^>]+)>/)?.[1] ?? '';
  const shown = [...(first.body as Notification[]), ...(await list(token, next))];
  expect(shown.map(({ facts }) => facts)).toMatchObject(
    [90, 80, 50].map((threshold_percent) => ({ threshold_percent })),
  );
});
