import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { log } from '@/lib/log';
import { ownCell } from '@/lib/settings';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { StartFailure } from './engine';
import { FunctionHost } from './pool/host';
import type { CloudFunction, FunctionVersion, InvocationSummary } from './schema';

testDatabase();
const call = api();
let acme: TestProject;
let engines: MemoryEngines;
let host: FunctionHost;
/** The platform's log lines before redaction. */
let logged: string[];

const VAULT = 'correct-horse-of-the-vault';
const PLAIN = 'battery-staple-in-plain';
const secretsIn = (text: string) => [VAULT, PLAIN].filter((secret) => text.includes(secret));

beforeEach(async () => {
  logged = [];
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)
    vi.spyOn(log, level).mockImplementation((...args: unknown[]) => void logged.push(inspect(args, { depth: 12 })));
  await createCell();
  acme = await createProject('acme');
  engines = useMemoryEngines();
  host = new FunctionHost(ownCell());
  await host.look();
  return setTestClock(0);
});
afterEach(async () => {
  await host.end();
  vi.restoreAllMocks();
});

const token = () => acme.users.admin.token;
const post = (path: string, body: object) => call('POST', path, { token: token(), body });
const until = (condition: () => Promise<void>) =>
  vi.waitFor(
    async () => {
      await host.look();
      await condition();
    },
    { timeout: 30_000, interval: 50 },
  );
const settled = (id: string) =>
  until(async () => {
    const { body } = await call('GET', `/functions/${id}`, { token: token() });
    expect((body as CloudFunction).status).not.toBe('deploying');
  });

test('a secret reaches the environment of its function, and no answer, log or record, however the function ends', async () => {
  const { body } = await post('/vault/secrets', { name: 'key', type: 'passphrase', payload: VAULT });
  const { id: secret_id } = body as { id: string };
  const answers: string[] = [];
  const ask = async (method: string, path: string, sent?: object, headers: Record<string, string> = {}) => {
    const answer = await call(method, path, { token: token(), headers, ...(sent ? { body: sent } : {}) });
    answers.push(answer.text);
    return answer;
  };
  const env = { GREETING: PLAIN, KEY: { secret_id } };
  const made = await ask('POST', '/functions', { name: 'keeper', template_id: 'python3.11', code: 'x = 1', env });
  const { id } = made.body as CloudFunction;
  await settled(id);
  expect(engines.functions.started.at(-1)?.environment).toEqual({ GREETING: PLAIN, KEY: VAULT });

  const ends = [
    { kind: 'result', result: 1 },
    { kind: 'error', error: { type: 'KeyError', message: 'no', stack: 'at line 1' } },
    { kind: 'ended', end: { reason: 'timeout' } },
    { kind: 'ended', end: { reason: 'exit', code: null, signal: '11' } },
  ] as const;
  for (const end of ends) {
    engines.functions.handler = async () => end;
    expect((await ask('POST', `/functions/${id}/invoke`, { payload: 1 })).status).toBe(200);
  }
  // No instance starts: the spec, environment and all, is in the hands of whoever reports that.
  engines.functions.failure = new StartFailure({ type: 'SyntaxError', message: 'line 1', stack: 'at line 1' }, null);
  expect((await ask('POST', `/functions/${id}/invoke`, { payload: 2 })).status).toBe(200);
  const queued = (await ask('POST', `/functions/${id}/invoke`, { payload: 3, mode: 'async' })).body;
  const { invocation_id: of } = queued as { invocation_id: string };
  await until(async () => {
    const { body: found } = await call('GET', `/functions/${id}/invocations/${of}`, { token: token() });
    expect(found).toMatchObject({ status: 'queued', attempts: 1 });
  });
  Object.assign(engines.functions, { failure: new Error('cannot start on this host') });
  await ask('POST', `/functions/${id}/invoke`, { payload: 4 });
  engines.functions.failure = undefined;
  await ask('PUT', `/functions/${id}`, { template_id: 'python3.11', env });
  await ask('POST', `/functions/${id}/rollback`, { version: 1 });
  await settled(id);

  const { body: versions } = await ask('GET', `/functions/${id}/versions`);
  for (const { version } of versions as FunctionVersion[])
    await ask('GET', `/functions/${id}/versions/${version}/code`);
  const { body: invocations } = await ask('GET', `/functions/${id}/invocations`);
  expect((invocations as InvocationSummary[]).length).toBeGreaterThanOrEqual(6);
  for (const { id: of } of invocations as InvocationSummary[]) await ask('GET', `/functions/${id}/invocations/${of}`);
  await ask('GET', `/functions/${id}/logs`, undefined, { Accept: 'application/json' });
  for (const path of [`/functions/${id}`, '/functions', '/vault/secrets', '/audit', '/inventory/inventory'])
    expect([path, (await ask('GET', path)).status]).toEqual([path, 200]);
  await host.flushLines();
  const asked = new URLSearchParams({ query: `{service="function", resource_id="${id}"}` });
  expect((await ask('GET', `/observability/logs?${asked}`)).status).toBe(200);

  for (const text of [...answers, ...logged]) expect(secretsIn(text), text.slice(0, 2000)).toEqual([]);
  expect(logged.length).toBeGreaterThan(0);
});
