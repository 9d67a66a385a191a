import { expect, test } from 'vitest';
import { queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { foldUsage } from '@/lib/money/metering/usage-events';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { isLong } from '@/lib/testing/samples';
import { api, createProject } from '@/lib/testing/world';
import { FunctionHost } from './pool/host';

testDatabase();
const call = api();
const EVENTS = isLong ? 50_000 : 2_000;
const CALLERS = 24;
/** Fewer than callers, so that some events are refused. */
const CONCURRENCY = 16;

test('of many events at once each start is billed exactly once, failed ones too, and refused ones never', {
  timeout: 1_800_000,
}, async () => {
  await createCell();
  const engines = useMemoryEngines();
  const acme = await createProject('acme');
  const as = { token: acme.users.member.token };
  const host = new FunctionHost(ownCell());
  let begun = 0;
  engines.functions.handler = async (event) => {
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (Number(event) % 7 === 0) return { kind: 'error', error: { type: 'Error', message: 'as asked', stack: null } };
    return { kind: 'result', result: event };
  };
  await host.look();
  const body = { name: 'hello', template_id: 'python3.11', code: 'x = 1', concurrency: CONCURRENCY };
  const { id } = (await call('POST', '/functions', { ...as, body })).body as { id: string };
  const seen = new Map<string, number>();
  const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  let next = 0;
  const caller = async () => {
    while (next < EVENTS) {
      const payload = next;
      next += 1;
      const { status, body: answer } = await call('POST', `/functions/${id}/invoke`, { ...as, body: { payload } });
      note(status === 200 ? (answer as { status: string }).status : String(status));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await host.end();
  const [succeeded, failed, refused] = ['succeeded', 'failed', '429'].map((what) => seen.get(what) ?? 0);
  expect((succeeded ?? 0) + (failed ?? 0) + (refused ?? 0)).toBe(EVENTS);
  expect(failed).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
  expect(begun).toBe((succeeded ?? 0) + (failed ?? 0));
  await foldUsage();
  const { billed } = await queryRow<{ billed: number }>(sql`SELECT sum(quantity)::float8 AS billed FROM usage_counts
    WHERE project_id = ${acme.id}::uuid AND metric = 'function_invocations'`);
  const { attempts } = await queryRow<{ attempts: number }>(
    sql`SELECT sum(attempts)::float8 AS attempts FROM function_invocations WHERE project_id = ${acme.id}::uuid`,
  );
  expect([billed, attempts]).toEqual([begun, begun]);
});
