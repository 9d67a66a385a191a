import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { isDatabaseAway } from './away';
import { closePool, query } from './pool';
import { prisma } from './prisma';
import { sql } from './sql';

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(async () => {
  acme = await createProject('acme');
});

/** The error of a rejected promise. */
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );

/** Points this process at an address without a database. */
async function loseTheServer(): Promise<void> {
  await closePool();
  globalThis.nephelePrisma = undefined;
  globalThis.nephelePool = new pg.Pool({ connectionString: 'postgresql://a:b@localhost/none?host=/nowhere' });
  onTestFinished(async () => {
    await closePool();
    globalThis.nephelePrisma = undefined;
  });
}

test('a lost or unreachable server is reported as away, for statements and for Prisma', async () => {
  const suicide = sql`SELECT pg_terminate_backend(pg_backend_pid())`;
  expect(isDatabaseAway(await failureOf(query(suicide)))).toBe(true);
  expect(isDatabaseAway(await failureOf(prisma().$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())::text`))).toBe(
    true,
  );
  await loseTheServer();
  expect(isDatabaseAway(await failureOf(query(sql`SELECT 1`)))).toBe(true);
  expect(isDatabaseAway(await failureOf(prisma().project.findFirst()))).toBe(true);
});

test('an error of the statement itself is not reported as away', async () => {
  expect(isDatabaseAway(await failureOf(query(sql`SELECT 1 / 0`)))).toBe(false);
  expect(isDatabaseAway(await failureOf(prisma().$queryRaw`SELECT 1 / 0`))).toBe(false);
});

test('without its database the API says when to retry and blames nobody', async () => {
  await loseTheServer();
  const answer = await call('GET', '/tenant/quota', { token: acme.users.reader.token });
  expect(answer.body).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', status: 503 } });
  expect(answer.headers.get('retry-after')).toBe('1');
});
