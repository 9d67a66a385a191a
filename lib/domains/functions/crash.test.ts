import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { foldUsage } from '@/lib/money/metering/usage-events';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { isLong } from '@/lib/testing/samples';
import { api, createProject } from '@/lib/testing/world';

testDatabase();
const call = api();
const EVENTS = isLong ? 1000 : 150;
const KILLS = isLong ? 12 : 3;
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

test('no queued event is lost over kills of its worker, and every start is billed once', {
  timeout: 300_000,
}, async () => {
  await createCell();
  useMemoryEngines();
  const acme = await createProject('acme');
  const as = { token: acme.users.member.token };
  const body = { name: 'hello', template_id: 'python3.11', code: 'x = 1', concurrency: 8 };
  const { id } = (await call('POST', '/functions', { ...as, body })).body as { id: string };
  const starts = join(mkdtempSync(join(tmpdir(), 'starts-')), 'starts');
  for (let n = 0; n < EVENTS; n += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        call('POST', `/functions/${id}/invoke`, { ...as, body: { mode: 'async', payload: n + index } }),
      ),
    );
  }
  for (let round = 0; round <= KILLS; round += 1) {
    const isLast = round === KILLS;
    const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/function-worker.ts'], {
      env: { ...process.env, STARTS: starts, KILL_AFTER_MS: isLast ? '' : String(150 + round * 90) },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    children.add(child);
    if (isLast) break;
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
  }
  await vi.waitFor(
    async () => {
      const rows = await query<{
        status: string;
        n: number;
      }>(sql`SELECT status, count(*)::int AS n FROM function_invocations
        WHERE project_id = ${acme.id}::uuid GROUP BY status`);
      expect(rows).toEqual([{ status: 'succeeded', n: EVENTS }]);
    },
    { timeout: 120_000, interval: 100 },
  );
  const seen = readFileSync(starts, 'utf8').trim().split('\n');
  expect(new Set(seen).size).toBe(EVENTS);
  await foldUsage();
  const { billed } = await queryRow<{ billed: number }>(sql`SELECT sum(quantity)::float8 AS billed FROM usage_counts
    WHERE project_id = ${acme.id}::uuid AND metric = 'function_invocations'`);
  const { attempts } = await queryRow<{ attempts: number }>(
    sql`SELECT sum(attempts)::float8 AS attempts FROM function_invocations WHERE project_id = ${acme.id}::uuid`,
  );
  // A start is on the disk before its handler: at most those that a kill has met in between were billed and not begun.
  expect(billed).toBe(attempts);
  expect(billed).toBeGreaterThanOrEqual(seen.length);
  expect(billed - seen.length).toBeLessThanOrEqual(KILLS * body.concurrency);
});
