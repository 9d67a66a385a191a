import { expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { until } from '@/lib/testing/widget-workers';
import { createUser } from '@/lib/testing/world';
import { startPeriodicJobs } from './periodic';
import { purges } from './purge';

testDatabase();

test('a due job is run by one worker only, and again after its interval', async () => {
  const runs: string[] = [];
  const job = (worker: string) => ({ name: 'once', every_ms: 3_600_000, run: async () => void runs.push(worker) });
  const workers = ['a', 'b', 'c'].map((worker) => startPeriodicJobs([job(worker)]));
  await until(() => expect(runs).toHaveLength(1));
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(runs).toHaveLength(1);

  await execute(sql`UPDATE periodic_jobs SET due_at = platform_now()`);
  const later = startPeriodicJobs([job('later')]);
  await until(() => expect(runs.at(-1)).toBe('later'));
  await later.stop();
  expect(runs).toHaveLength(2);
});

test('a failed job does not stop the others and runs again on schedule', async () => {
  const runs: string[] = [];
  const jobs = startPeriodicJobs([
    { name: 'bad', every_ms: 1, run: async () => Promise.reject(new Error(String(runs.push('bad')))) },
    { name: 'good', every_ms: 1, run: async () => void runs.push('good') },
  ]);
  await until(() => expect(runs.filter((name) => name === 'bad').length).toBeGreaterThan(1));
  await jobs.stop();
  expect(runs).toContain('good');
});

test('purges delete expired rows and nothing else', async () => {
  const { id: user } = await createUser('someone@example.test');
  await execute(sql`INSERT INTO idempotency_records (id, request_hash, expires_at) VALUES
    ('\\x01', '\\x', platform_now() - interval '1 second'), ('\\x02', '\\x', platform_now() + interval '1 minute')`);
  await execute(sql`INSERT INTO changes (topic, resource_id, at)
    SELECT 'old', n::text, platform_now() - interval '1 hour' FROM generate_series(1, 12000) n`);
  await execute(sql`INSERT INTO changes (topic, at) VALUES ('new', platform_now())`);
  await execute(sql`INSERT INTO signin_failures (key, failed_at, last_at) VALUES
    ('old', '{}', platform_now() - interval '2 hours'), ('new', '{}', platform_now())`);
  const session = (expired: string) =>
    execute(sql`
    INSERT INTO sessions (id, user_id, realm, kind, address, user_agent, created_at, last_seen_at, expires_at)
    VALUES (${newId()}::uuid, ${user}::uuid, 'tenant', 'browser', ${expired}::text, '', now(), now(), platform_now() - ${expired}::interval)`);
  await session('31 days');
  await session('29 days');
  const incident = (name: string, closed: string | null) =>
    execute(sql`INSERT INTO incidents (id, key, resource_type, resource_id, reason, opened_at, closed_at)
      VALUES (${newId()}::uuid, ${name}::text, 'widget', ${newId()}::uuid, '', platform_now() - interval '1 year', platform_now() - ${closed}::interval)`);
  await incident('open', null);
  await incident('89 days', '89 days');
  await incident('91 days', '91 days');

  for (const purge of purges) await purge.run(new AbortController().signal);
  const left = await query<{ kept: string }>(sql`
    SELECT encode(id, 'hex') AS kept FROM idempotency_records UNION ALL SELECT topic FROM changes
    UNION ALL SELECT key FROM signin_failures UNION ALL SELECT address FROM sessions WHERE user_id = ${user}::uuid AND kind = 'browser'
    UNION ALL SELECT key FROM incidents`);
  expect(left.map(({ kept }) => kept)).toEqual(['02', 'new', 'new', '29 days', 'open', '89 days']);
});
