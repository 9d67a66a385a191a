import { beforeAll, expect, test, vi } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { replaceEngines } from '@/lib/engines/engines';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { MemoryEngines } from '@/lib/testing/memory-engines';
import { api, createUser, signIn } from '@/lib/testing/world';
import { watchPrograms } from './programs';

testDatabase();
const call = api();
const host = new MemoryEngines();
beforeAll(() => replaceEngines(host));

const program = { version: '1', licence: 'MIT', parts: [], progress: null, trouble: null };
host.programStates.push(
  { ...program, name: 'one', state: 'ready', parts: ['one-1.0'] },
  { ...program, name: 'two', state: 'fetching', progress: { step: 'downloading', receivedBytes: 5_000_000 } },
  { ...program, name: 'three', state: 'absent' },
  { ...program, name: 'four', state: 'unavailable', trouble: 'apt can’t fetch four: run apt-get update.' },
);

test('the back office lists programs with their state, their progress and what to do', async () => {
  const administrator = await createUser('root@example.test', 'backoffice');
  const token = await signIn(administrator.id, 'backoffice');
  const { status, body } = await call('GET', '/admin/api/v1/programs', { token });
  expect(status).toBe(200);
  const same = { cell_id: ownCell(), version: '1', licence: 'MIT', parts: [], progress: null, message: null };
  expect(body).toEqual([
    { ...same, name: 'one', status: 'ready', parts: ['one-1.0'] },
    { ...same, name: 'two', status: 'fetching', progress: { step: 'downloading', received_bytes: 5_000_000 } },
    { ...same, name: 'three', status: 'absent', message: expect.stringContaining('programs fetch three') },
    { ...same, name: 'four', status: 'unavailable', message: expect.stringMatching(/^apt .*programs fetch four$/) },
  ]);
});

test('open pages hear of a program that changes, and of nothing while none does', async () => {
  const hints = () => query<{ resource_id: string }>(sql`SELECT resource_id FROM changes WHERE topic = 'program'`);
  const watch = watchPrograms(ownCell());
  await watch.stop();
  expect(await hints()).toEqual([]);
  const watching = watchPrograms(ownCell());
  try {
    await vi.waitUntil(async () => {
      const [, two] = host.programStates;
      if (two?.progress) two.progress.receivedBytes += 1;
      return (await hints()).length > 0;
    }, 10_000);
  } finally {
    await watching.stop();
  }
  expect((await hints())[0]).toEqual({ resource_id: ownCell() });
});
