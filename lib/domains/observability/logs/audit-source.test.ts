import { beforeAll, expect, test } from 'vitest';
import { queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { copyAuditEntries } from './audit-source';

testDatabase();

const call = api();
let project: TestProject;
beforeAll(async () => {
  project = await createProject('audited');
});

const copy = () => copyAuditEntries(new AbortController().signal);
const create = (body: object) => call('POST', '/vault/secrets', { token: project.users.member.token, body });

async function linesOf(query: string): Promise<string[]> {
  const answer = await call('GET', `/observability/logs?${new URLSearchParams({ query, limit: '1000' })}`, {
    token: project.users.admin.token,
  });
  const { data } = answer.body as { data: { result: { values: [string, string][] }[] } };
  return data.result.flatMap(({ values }) => values.map(([, line]) => line));
}

test('a change is found in the log by its resource, once, however many workers copy, and without its secret', async () => {
  const secret = await create({ name: 'found-by-name', type: 'opaque', payload: 'never-in-a-log' });
  expect(secret.status).toBe(201);
  await Promise.all([copy(), copy(), copy()]);
  const lines = await linesOf(
    '{service="audit", resource_name="found-by-name", level="info"} | json | action="secret.create"',
  );
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    action: 'secret.create',
    result: 'succeeded',
    status: 201,
    resource_type: 'secret',
  });
  expect(lines[0]).not.toContain('never-in-a-log');
});

test('a refusal is a warning', async () => {
  expect((await create({ name: 'taken', type: 'opaque', payload: 'x' })).status).toBe(201);
  const refused = await call('DELETE', '/vault/secrets/01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f', {
    token: project.users.member.token,
  });
  expect(refused.status).toBe(404);
  await copy();
  const lines = await linesOf('{service="audit", level="warn"} |= "secret.delete"');
  expect(lines).toHaveLength(1);
});

test('nothing stays in the queue', async () => {
  const { left } = await queryRow<{ left: number }>(sql`SELECT count(*)::int AS left FROM log_audit_queue`);
  expect(left).toBe(0);
});
