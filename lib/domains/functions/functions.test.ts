import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { serve } from '@/lib/core/api/kernel';
import { execute, query, queryRow } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { foldUsage } from '@/lib/money/metering/usage-events';
import { authenticate } from '@/lib/people/identity/authenticate';
import { endpoints } from '@/lib/platform/endpoints';
import { ownCell, settings } from '@/lib/settings';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { hear } from '@/lib/testing/events';
import { nestedBomb, overlappingBomb, zipOf } from '@/lib/testing/hostile-zip';
import { createCell } from '@/lib/testing/hosts';
import type { MemoryEngines } from '@/lib/testing/memory-engines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { sentForm } from '@/lib/testing/sent-form';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { StartFailure } from './engine';
import { History } from './pool/history';
import { FunctionHost } from './pool/host';
import type {
  CloudFunction,
  FunctionLogLine,
  FunctionVersion,
  Invocation,
  InvocationResult,
  InvocationSummary,
} from './schema';
import { functionsWork } from './work';

testDatabase();
const call = api();
let acme: TestProject;
let other: TestProject;
let engines: MemoryEngines;
let host: FunctionHost;

beforeEach(async () => {
  await createCell();
  [acme, other] = await Promise.all([createProject('acme'), createProject('other')]);
  engines = useMemoryEngines();
  host = new FunctionHost(ownCell());
  await host.look();
  return setTestClock(0);
});
afterEach(() => host.end());

const as = (project: TestProject) => ({ token: project.users.member.token });
const CODE = 'def handler(event, context):\n    return event\n';
const create = (change: object = {}, project = acme) =>
  call('POST', '/functions', {
    ...as(project),
    body: { name: 'hello', template_id: 'python3.11', code: CODE, ...change },
  });
const created = async (change: object = {}, project = acme) => {
  const answer = await create(change, project);
  expect([answer.status, answer.body]).toMatchObject([201, {}]);
  return answer.body as CloudFunction;
};
const read = async (id: string) => (await call('GET', `/functions/${id}`, as(acme))).body as CloudFunction;
const settled = (id: string) =>
  vi.waitFor(
    async () => {
      await host.look();
      const found = await read(id);
      expect(found.status).not.toBe('deploying');
      return found;
    },
    { timeout: 20_000 },
  );
const invoke = (id: string, body: object = {}, project = acme) =>
  call('POST', `/functions/${id}/invoke`, { ...as(project), body });
const invocationsOf = async (id: string) =>
  (await call('GET', `/functions/${id}/invocations`, as(acme))).body as InvocationSummary[];
const invocation = async (id: string, of: string) =>
  (await call('GET', `/functions/${id}/invocations/${of}`, as(acme))).body as Invocation;
const counted = async () => {
  await host.pool.ledger.written();
  await foldUsage();
  const row = await queryRow<{ n: number }>(sql`SELECT coalesce(sum(quantity), 0)::float8 AS n FROM usage_counts
    WHERE project_id = ${acme.id}::uuid AND metric = 'function_invocations'`);
  return row.n;
};
const errorText = ({ body }: { body: unknown }) => JSON.stringify(body);

describe('a function', () => {
  test('is deployed, runs for its payload, and is remembered with its log', async () => {
    engines.functions.handler = async (event, _, say) => {
      say('one line');
      return { kind: 'result', result: { event } };
    };
    const { id } = await created();
    expect(await settled(id)).toMatchObject({ status: 'active', version: 1, env: [], url: null });
    const answer = await invoke(id, { payload: { name: 'Ada' } });
    const result = answer.body as InvocationResult;
    expect([answer.status, result]).toMatchObject([
      200,
      { status: 'succeeded', result: { event: { name: 'Ada' } }, cold_start: false },
    ]);
    const kept = await invocation(id, result.invocation_id);
    expect(kept).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      payload: { name: 'Ada' },
      trigger: 'api',
      mode: 'sync',
    });
    expect(kept.log.map(({ stream, message }) => `${stream} ${message.split(/[ \t]/)[0]}`)).toEqual([
      'platform START',
      'stdout one',
      'platform END',
      'platform REPORT',
    ]);
    expect(await counted()).toBe(1);
  });

  test('does not exist for another project, whatever is asked of it', async () => {
    const { id } = await created();
    const asked = [
      ['GET', ''],
      ['PUT', '', { template_id: 'python3.11', code: CODE }],
      ['DELETE', ''],
      ['POST', '/invoke', {}],
      ['GET', '/versions'],
      ['GET', '/versions/1/code'],
      ['POST', '/rollback', { version: 1 }],
      ['GET', '/invocations'],
      ['GET', '/logs'],
    ] as const;
    for (const [method, path, body] of asked) {
      const answer = await call(method, `/functions/${id}${path}`, { ...as(other), ...(body ? { body } : {}) });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect(engines.functions.started).toEqual([]);
  });

  test('whose code does not load is in error with the reason, and its invocations say so', async () => {
    engines.functions.failure = new StartFailure({ type: 'SyntaxError', message: 'line 1', stack: 'at line 1' }, null);
    const { id } = await created();
    expect(await settled(id)).toMatchObject({ status: 'error', status_reason: 'SyntaxError: line 1' });
    expect((await invoke(id)).body).toMatchObject({
      status: 'failed',
      error: { type: 'SyntaxError', stack: 'at line 1' },
    });
  });

  test('takes no more from the quota than there is: of 40 parallel creates, exactly 20 succeed', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => create({ name: `many-${index}` })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(20);
    expect(refused[0]?.body).toEqual({
      detail:
        'Quota exceeded for serverless_functions: limit 20, in use 20. Ask an administrator to raise serverless_functions_limit.',
    });
  });

  test('of a deprecated template cannot be new', async () => {
    const answer = await create({ template_id: 'nodejs20' });
    expect([answer.status, errorText(answer)]).toEqual([409, expect.stringContaining('deprecated')]);
  });

  test('gives back its place in the quota when it is deleted, and what it was running ends', async () => {
    const { id } = await created();
    await settled(id);
    expect(engines.functions.running.size).toBe(1);
    expect((await call('DELETE', `/functions/${id}`, as(acme))).status).toBe(204);
    await host.tidy();
    await vi.waitFor(() => expect(engines.functions.running.size).toBe(0), 15_000);
    const account = await prisma().projectAccount.findFirstOrThrow({ where: { project_id: acme.id } });
    expect(Number(account.serverless_functions_used)).toBe(0);
    expect((await invoke(id)).status).toBe(404);
  });
});

describe('versions', () => {
  test('a call after a change runs the new version, and one after a rollback the old code', async () => {
    engines.functions.handler = async (_, spec) => ({
      kind: 'result',
      result: [spec.function.version, spec.memoryMb, (await readdir(spec.codeFolder))[0]],
    });
    const { id, code_sha256 } = await created();
    const change = await call('PUT', `/functions/${id}`, {
      ...as(acme),
      body: { template_id: 'python3.11', code: `${CODE}#`, memory_mb: 256 },
    });
    expect([change.status, change.body]).toMatchObject([200, { version: 2, memory_mb: 256 }]);
    expect((await invoke(id)).body).toMatchObject({ result: [2, 256, 'main.py'] });
    const back = await call('POST', `/functions/${id}/rollback`, { ...as(acme), body: { version: 1 } });
    expect([back.status, back.body]).toMatchObject([200, { version: 3, code_sha256, memory_mb: 128 }]);
    expect((await invoke(id)).body).toMatchObject({ result: [3, 128, 'main.py'] });
    const versions = (await call('GET', `/functions/${id}/versions`, as(acme))).body as FunctionVersion[];
    expect(
      versions.map(({ version, is_current, rolled_back_from }) => [version, is_current, rolled_back_from]),
    ).toEqual([
      [3, true, 1],
      [2, false, null],
      [1, false, null],
    ]);
    expect((await call('GET', `/functions/${id}/versions/2/code`, as(acme))).body).toMatchObject({ code: `${CODE}#` });
  });
});

describe('the environment', () => {
  test('reaches instances with values of secrets, and neither rows nor answers', async () => {
    const secret = await call('POST', '/vault/secrets', {
      ...as(acme),
      body: { name: 'key', type: 'passphrase', payload: 'correct horse' },
    });
    const secret_id = (secret.body as { id: string }).id;
    const answer = await create({ name: 'with-env', env: { GREETING: 'plain words', KEY: { secret_id } } });
    expect(errorText(answer)).not.toContain('plain words');
    const { id, env } = answer.body as CloudFunction;
    expect(env).toEqual([
      { name: 'GREETING', secret_id: null },
      { name: 'KEY', secret_id },
    ]);
    await settled(id);
    const started = engines.functions.started.find(({ function: { name } }) => name === 'with-env');
    expect(started?.environment).toEqual({ GREETING: 'plain words', KEY: 'correct horse' });
    const rows = JSON.stringify(
      await query(
        sql`SELECT v::text, (SELECT json_agg(a) FROM audit_entries a)::text AS audit FROM function_versions v`,
      ),
    );
    expect(rows).not.toContain('plain words');
    expect(rows).not.toContain(Buffer.from('plain words').toString('hex'));
  });

  test('names only secrets of the project', async () => {
    const secret = await call('POST', '/vault/secrets', {
      ...as(other),
      body: { name: 'key', type: 'passphrase', payload: 'correct horse' },
    });
    const answer = await create({ env: { KEY: { secret_id: (secret.body as { id: string }).id } } });
    expect([answer.status, errorText(answer)]).toEqual([404, expect.stringContaining('env.KEY.secret_id')]);
  });
});

describe('beyond its concurrency', () => {
  test('a call is refused with 429 and not billed, and the next one runs', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    engines.functions.handler = async () => {
      await held;
      return { kind: 'result', result: 1 };
    };
    const { id } = await created({ concurrency: 2 });
    await settled(id);
    const running = [invoke(id), invoke(id)];
    await vi.waitFor(() => expect(host.pool.busyOf(id)).toBe(2), 15_000);
    const refused = await invoke(id);
    expect([refused.status, errorText(refused)]).toEqual([429, expect.stringContaining('concurrency')]);
    release();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await invoke(id)).status).toBe(200);
    expect(await counted()).toBe(3);
  });
});

describe('how an event ends', () => {
  const ends = [
    [{ kind: 'ended', end: { reason: 'timeout' } }, 'timed_out', 'Function.Timeout'],
    [{ kind: 'ended', end: { reason: 'memory' } }, 'out_of_memory', 'Function.OutOfMemory'],
    [{ kind: 'ended', end: { reason: 'log' } }, 'failed', 'Function.LogTooLarge'],
    [{ kind: 'ended', end: { reason: 'protocol' } }, 'failed', 'Runtime.ProtocolError'],
    [{ kind: 'ended', end: { reason: 'exit', code: 3, signal: null } }, 'failed', 'Runtime.ExitError'],
    [{ kind: 'ended', end: { reason: 'exit', code: null, signal: '11' } }, 'failed', 'Runtime.Crashed'],
  ] as const;

  test.each(ends)('%j is told, and the next event gets a new instance', async (outcome, status, type) => {
    const { id } = await created();
    await settled(id);
    engines.functions.handler = async () => outcome;
    expect((await invoke(id)).body).toMatchObject({ status, error: { type }, result: null });
    engines.functions.handler = async () => ({ kind: 'result', result: 'fine' });
    expect((await invoke(id)).body).toMatchObject({ status: 'succeeded', result: 'fine', cold_start: true });
  });
});

describe('a queued event', () => {
  const queue = async (id: string, payload: unknown = {}) => {
    const answer = await invoke(id, { mode: 'async', payload });
    expect([answer.status, answer.body]).toMatchObject([202, { status: 'queued' }]);
    return (answer.body as { invocation_id: string }).invocation_id;
  };
  const until = (id: string, of: string, wanted: Partial<Invocation>) =>
    vi.waitFor(async () => {
      await host.look();
      const found = await invocation(id, of);
      expect(found).toMatchObject(wanted);
      return found;
    }, 15_000);

  test('runs soon, once', async () => {
    const { id } = await created();
    await settled(id);
    const of = await queue(id, { n: 1 });
    expect(await until(id, of, { status: 'succeeded' })).toMatchObject({ attempts: 1, result: { n: 1 } });
    expect(await counted()).toBe(1);
  });

  test('that fails is tried three times, each billed, and ends as a dead letter', async () => {
    engines.functions.handler = async () => ({ kind: 'error', error: { type: 'Error', message: 'no', stack: null } });
    const { id } = await created();
    await settled(id);
    const of = await queue(id);
    await until(id, of, { status: 'queued', attempts: 1 });
    await host.look();
    expect(await invocation(id, of)).toMatchObject({ attempts: 1, error: { message: 'no' } });
    await setTestClock(10_001);
    await until(id, of, { status: 'queued', attempts: 2 });
    await setTestClock(71_000);
    await until(id, of, { status: 'dead_letter', attempts: 3 });
    await setTestClock(3_600_000);
    await host.look();
    expect(await invocation(id, of)).toMatchObject({ attempts: 3, next_attempt_at: null });
    expect(await counted()).toBe(3);
  });

  test('with the same Idempotency-Key is queued once', async () => {
    const { id } = await created();
    await settled(id);
    const send = () =>
      call('POST', `/functions/${id}/invoke`, {
        ...as(acme),
        body: { mode: 'async', payload: 1 },
        headers: { 'Idempotency-Key': 'one' },
      });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(await invocationsOf(id)).toHaveLength(1);
  });

  test('whose pool was killed runs again in the next one; a call that waited is told that it was interrupted', async () => {
    const { id } = await created();
    await settled(id);
    engines.functions.handler = () => new Promise(() => {});
    const of = await queue(id);
    await until(id, of, { status: 'running' });
    const waiting = invoke(id);
    await vi.waitFor(() => expect(host.pool.busyOf(id)).toBe(2), 15_000);
    // A killed worker writes nothing more: its ids are those of nobody.
    await execute(sql`UPDATE function_invocations SET pool_id = gen_random_uuid()`);
    for (const method of ['end', 'written', 'close'] as const) vi.spyOn(History.prototype, method).mockResolvedValue();
    await host.end();
    await waiting;
    vi.restoreAllMocks();
    engines.functions.handler = async () => ({ kind: 'result', result: 'again' });
    host = new FunctionHost(ownCell());
    await until(id, of, { status: 'succeeded', attempts: 2 });
    const sync = (await invocationsOf(id)).find(({ mode }) => mode === 'sync');
    expect(sync).toMatchObject({ status: 'failed', error: { type: 'Platform.Interrupted' } });
    expect(await counted()).toBe(3);
  });

  test('waits while its function is at its concurrency', async () => {
    let most = 0;
    let running = 0;
    engines.functions.handler = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { kind: 'result', result: 1 };
    };
    const { id } = await created({ concurrency: 2 });
    await settled(id);
    const all = await Promise.all(Array.from({ length: 12 }, () => queue(id)));
    for (const of of all) await until(id, of, { status: 'succeeded', attempts: 1 });
    expect(most).toBeLessThanOrEqual(2);
  });
});

describe('a schedule', () => {
  test('queues one event for each time, and makes no missed time up', async () => {
    const { id, next_run_at } = await created({ schedule: '*/5 * * * *' });
    await settled(id);
    const due = new Date(next_run_at ?? 0).getTime();
    await setTestClock(due - Date.now() + 1000);
    await Promise.all([host.look(), host.look()]);
    await vi.waitFor(async () => {
      await host.look();
      expect(await invocationsOf(id)).toMatchObject([{ trigger: 'schedule', mode: 'async', status: 'succeeded' }]);
    }, 15_000);
    expect(new Date((await read(id)).next_run_at ?? 0).getTime()).toBe(due + 5 * 60_000);
    await setTestClock(due - Date.now() + 30 * 60_000 + 90_000);
    await host.look();
    expect(await invocationsOf(id)).toHaveLength(1);
  });

  test('queues an event for the last of many times that passed, if it passed less than a minute ago', async () => {
    const { id, next_run_at } = await created({ schedule: '* * * * *' });
    await settled(id);
    const due = new Date(next_run_at ?? 0).getTime();
    await setTestClock(due - Date.now() + 5 * 60_000 + 20_000);
    await host.look();
    await vi.waitFor(async () => {
      await host.look();
      expect(await invocationsOf(id)).toMatchObject([{ trigger: 'schedule', status: 'succeeded' }]);
    }, 15_000);
    const [{ id: invoked = '' } = {}] = await invocationsOf(id);
    const time = new Date(due + 5 * 60_000).toISOString();
    expect(await invocation(id, invoked)).toMatchObject({ payload: { time } });
  });

  test.each(['* * * *', 'every day', '61 * * * *', '0 0 31 2 *', '* * * * * *'])(
    '"%s" is refused',
    async (schedule) => {
      expect((await create({ schedule })).status).toBe(400);
    },
  );
});

test('the first events of a function are in its rates, before any others', async () => {
  const { id } = await created();
  await settled(id);
  for (let event = 0; event < 3; event += 1) await invoke(id);
  await setTestClock(5_000);
  await host.sample();
  const increase = encodeURIComponent('sum(increase(nephele_function_handler_invocations{status="succeeded"}[15m]))');
  const { body } = await call('GET', `/observability/prometheus/api/v1/query?query=${increase}`, as(acme));
  const { data } = body as { data: { result: { value: [number, string] }[] } };
  // Extrapolated to the ends of the range, as Prometheus does.
  expect(data.result.map(({ value }) => Math.round(Number(value[1])))).toEqual([3]);
});

describe('an archive', () => {
  const send = async (archive: Uint8Array, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ name: 'zipped', template_id: 'python3.11', ...fields }))
      form.set(name, value);
    form.set('archive', new Blob([new Uint8Array(archive)]), 'code.zip');
    return call('POST', '/functions', { ...as(acme), ...(await sentForm(form)) });
  };

  test('becomes the code of a function, with its folders', async () => {
    engines.functions.handler = async (_, spec) => ({
      kind: 'result',
      result: (await readdir(spec.codeFolder, { recursive: true })).toSorted(),
    });
    const answer = await send(
      zipOf([
        { name: 'main.py', content: CODE },
        { name: 'lib/one.py', content: '1' },
      ]),
      {
        memory_mb: '256',
        env: '{"A": "b"}',
      },
    );
    expect([answer.status, answer.body]).toMatchObject([
      201,
      { code_kind: 'archive', memory_mb: 256, env: [{ name: 'A' }] },
    ]);
    const { id } = answer.body as CloudFunction;
    expect((await invoke(id)).body).toMatchObject({ result: ['lib', 'lib/one.py', 'main.py'] });
    expect((await call('GET', `/functions/${id}/versions/1/code`, as(acme))).body).toMatchObject({
      code: null,
      files: [{ path: 'main.py' }, { path: 'lib/one.py' }],
    });
  });

  const hostile = [
    ['leaves its folder', zipOf([{ name: '../evil.py', content: 'x' }]), 400],
    ['has an absolute path', zipOf([{ name: '/etc/passwd', content: 'x' }]), 400],
    ['has a link', zipOf([{ name: 'link', content: '/etc/passwd', mode: 0o120777 }]), 400],
    ['has a device', zipOf([{ name: 'null', content: '', mode: 0o020666 }]), 400],
    [
      'has a file twice',
      zipOf([
        { name: 'a', content: '1' },
        { name: 'a', content: '2' },
      ]),
      400,
    ],
    ['is larger unpacked than a function may be', zipOf([{ name: 'bomb', content: '', claimed: 2 ** 31 }]), 400],
    ['names the same bytes again and again', overlappingBomb(1000, Buffer.alloc(1024 ** 2)), 400],
    [
      'is 42.zip, whose entries are encrypted',
      zipOf([{ name: 'lib 0.zip', content: nestedBomb(2), encrypted: true }]),
      400,
    ],
    ['is no zip', new TextEncoder().encode('no zip at all'), 400],
    ['is empty', zipOf([]), 400],
  ] as const;

  test.each(hostile)('that %s is refused, and nothing of it is kept', async (_, archive, status) => {
    expect((await send(archive)).status).toBe(status);
    expect(await readdir(join(settings().dataDir, 'functions', 'drafts')).catch(() => [])).toEqual([]);
  });

  test('after a field that is refused is refused, however large it is', async () => {
    const answer = await send(Buffer.alloc(2_000_000), { memory_mb: 'much' });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { message: 'memory_mb: must be JSON.' } }]);
    expect(await readdir(join(settings().dataDir, 'functions', 'drafts')).catch(() => [])).toEqual([]);
  });

  test('with archives in it, which hold 8 TB, is unpacked once and no further', async () => {
    const bomb = nestedBomb(5);
    const answer = await send(bomb);
    expect(answer.status).toBe(201);
    await settled((answer.body as CloudFunction).id);
    const { codeFolder } = engines.functions.started.at(-1) ?? { codeFolder: '' };
    const files = await readdir(codeFolder, { recursive: true });
    expect(files.toSorted()).toEqual(Array.from({ length: 16 }, (_, n) => `lib ${n.toString(16)}.zip`));
    const sizes = await Promise.all(files.map(async (name) => (await stat(join(codeFolder, name))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(16 * bomb.length);
  });

  test('whose entries share their bytes, with false sizes, ends the deployment', async () => {
    const answer = await send(overlappingBomb(1000, Buffer.alloc(1024 ** 2), 10));
    expect(answer.status).toBe(201);
    expect(await settled((answer.body as CloudFunction).id)).toMatchObject({ status: 'error' });
    await vi.waitFor(async () => {
      const unpacked = await readdir(join(settings().dataDir, 'functions', 'unpacked')).catch(() => []);
      expect(unpacked.filter((name) => name.startsWith('.'))).toEqual([]);
    }, 15_000);
  });

  test('that inflates to more than it says ends the deployment, not the host', async () => {
    const answer = await send(
      zipOf([{ name: 'main.py', content: Buffer.alloc(1024 ** 2 * 4).toString('latin1'), claimed: 10 }]),
    );
    expect(answer.status).toBe(201);
    expect(await settled((answer.body as CloudFunction).id)).toMatchObject({ status: 'error' });
  });
});

describe('the log', () => {
  test('is a list of the newest lines, or of one invocation', async () => {
    engines.functions.handler = async (event, _, say) => {
      say(`line of ${JSON.stringify(event)}`);
      return { kind: 'result', result: null };
    };
    const { id } = await created();
    await settled(id);
    await invoke(id, { payload: 1 });
    const second = (await invoke(id, { payload: 2 })).body as InvocationResult;
    const list = async (search = '') =>
      (await call('GET', `/functions/${id}/logs${search}`, { ...as(acme), headers: { Accept: 'application/json' } }))
        .body as FunctionLogLine[];
    const text = (lines: FunctionLogLine[]) =>
      lines.filter(({ stream }) => stream === 'stdout').map(({ message }) => message);
    expect(text(await list())).toEqual(['line of 1', 'line of 2']);
    expect(text(await list(`?invocation_id=${second.invocation_id}`))).toEqual(['line of 2']);
    expect(await list('?limit=1')).toMatchObject([{ stream: 'platform' }]);
  });

  test('reaches a client of its stream line by line while the handler runs, and is found by its invocation afterwards', async () => {
    const steps: (() => void)[] = [];
    engines.functions.handler = async (event, _, say) => {
      for (let number = 1; number <= 3; number += 1) {
        say(`line ${number} of ${JSON.stringify(event)}`);
        await new Promise<void>((resolve) => steps.push(resolve));
      }
      return { kind: 'result', result: null };
    };
    const { id } = await created();
    await settled(id);
    const app = serve(endpoints, authenticate);
    const follow = async (project: TestProject) =>
      app.fetch(
        new Request(`http://localhost/api/v1/functions/${id}/logs`, {
          headers: { Authorization: `Bearer ${project.users.reader.token}` },
        }),
      );
    expect((await follow(other)).status).toBe(404);
    const response = await follow(acme);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    if (!response.body) throw new Error('no stream');
    const stream = hear(response.body);
    const lines = () =>
      stream.events.flatMap(({ name, data }) => (name === 'line' ? [JSON.parse(data) as FunctionLogLine] : []));
    const written = () => lines().flatMap(({ stream: of, message }) => (of === 'stdout' ? [message] : []));

    let hasEnded = false;
    const running = invoke(id, { payload: 7 }).then((answer) => {
      hasEnded = true;
      return answer.body as InvocationResult;
    });
    for (let number = 1; number <= 3; number += 1) {
      // The handler waits here, so this line can only have come before its end.
      await vi.waitFor(() => expect(written()).toHaveLength(number), { timeout: 20_000 });
      expect([written().at(-1), hasEnded]).toEqual([`line ${number} of 7`, false]);
      steps.shift()?.();
    }
    const { invocation_id } = await running;
    await vi.waitFor(() => expect(lines()).toHaveLength(6), { timeout: 20_000 });
    const expected = [
      `START RequestId: ${invocation_id} Version: 1`,
      'line 1 of 7',
      'line 2 of 7',
      'line 3 of 7',
      `END RequestId: ${invocation_id}`,
      expect.stringMatching(`^REPORT RequestId: ${invocation_id}\t`),
    ];
    expect(lines().map(({ message }) => message)).toEqual(expected);
    expect(new Set(lines().map((line) => line.invocation_id))).toEqual(new Set([invocation_id]));
    await stream.close();

    const later = invoke(id, { payload: 8 });
    for (let number = 1; number <= 3; number += 1) {
      await vi.waitFor(() => expect(steps).toHaveLength(1), { timeout: 20_000 });
      steps.shift()?.();
    }
    await later;
    const found = await call('GET', `/functions/${id}/logs?invocation_id=${invocation_id}`, {
      ...as(acme),
      headers: { Accept: 'application/json' },
    });
    expect((found.body as FunctionLogLine[]).map(({ message }) => message)).toEqual(expected);
  });
});

test('the log store has the lines of an event, found by its invocation and by its own project alone', async () => {
  engines.functions.handler = async (event, _, say) => {
    say(`line of ${JSON.stringify(event)}`);
    return { kind: 'result', result: null };
  };
  const { id } = await created();
  await settled(id);
  await invoke(id, { payload: 1 });
  const { invocation_id } = (await invoke(id, { payload: 2 })).body as InvocationResult;
  await host.flushLines();
  const found = async (project: TestProject) => {
    const asked = new URLSearchParams({ query: `{service="function", resource_id="${id}"} |= "${invocation_id}"` });
    const { body } = await call('GET', `/observability/logs?${asked}`, as(project));
    return (body as { data: { result: { values: [string, string][] }[] } }).data.result
      .flatMap(({ values }) => values.map(([, text]) => text.split('\t')[0]))
      .sort();
  };
  expect(await found(acme)).toEqual(
    [
      `${invocation_id} line of 2`,
      `END RequestId: ${invocation_id}`,
      `REPORT RequestId: ${invocation_id}`,
      `START RequestId: ${invocation_id} Version: 1`,
    ].sort(),
  );
  expect(await found(other)).toEqual([]);
});

test('the history forgets an invocation and its log after seven days, and never one that waits', async () => {
  const { id } = await created();
  await settled(id);
  const { invocation_id: old } = (await invoke(id, { payload: 1 })).body as InvocationResult;
  const { invocation_id: recent } = (await invoke(id, { payload: 2 })).body as InvocationResult;
  const waiting = ((await invoke(id, { mode: 'async', payload: 3 })).body as { invocation_id: string }).invocation_id;
  await host.pool.ledger.written();
  const aged = (days: number, ids: string[]) =>
    execute(sql`UPDATE function_invocations SET created_at = platform_now() - ${days}::float8 * interval '1 day',
      next_attempt_at = CASE status WHEN 'queued' THEN platform_now() + interval '1 day' END WHERE id = ANY (${ids}::uuid[])`);
  await aged(7.1, [old, waiting]);
  await aged(6.9, [recent]);
  const { jobs } = functionsWork;
  for (const job of Array.isArray(jobs) ? jobs : []) await job.run(new AbortController().signal);
  const left = await query<{ id: string }>(
    sql`SELECT id FROM function_invocations WHERE function_id = ${id}::uuid ORDER BY id`,
  );
  expect(left.map((row) => row.id)).toEqual([recent, waiting].sort());
  const lines = (await call('GET', `/functions/${id}/logs`, { ...as(acme), headers: { Accept: 'application/json' } }))
    .body as FunctionLogLine[];
  expect([...new Set(lines.map(({ invocation_id }) => invocation_id))]).toEqual([recent]);
});

describe('a port on a network of the project', () => {
  const portsOf = (id: string) =>
    query<{ id: string; network_id: string; attachment: string; own_rules: unknown[]; groups: string[] }>(sql`
      SELECT p.id, p.network_id, p.attachment, p.own_rules,
        ARRAY(SELECT c.security_group_id::text FROM port_security_groups c WHERE c.port_id = p.id) AS groups
      FROM ports p WHERE p.device_id = ${id}::uuid`);
  const networkOf = async (project: TestProject) => {
    const { body } = await call('GET', '/network/networks', as(project));
    return (body as { id: string }[])[0]?.id ?? '';
  };
  const replaced = async (id: string, change: object) => {
    const answer = await call('PUT', `/functions/${id}`, {
      ...as(acme),
      body: { template_id: 'python3.11', ...change },
    });
    expect([answer.status, answer.body]).toMatchObject([200, {}]);
    return answer.body as CloudFunction;
  };

  test('comes with the version that asks for it, reaches its instances, and goes with the one that does not', async () => {
    const { id, network_id } = await created({ network: 'project' });
    expect(network_id).toBe(await networkOf(acme));
    const [port] = await portsOf(id);
    expect(port).toMatchObject({ network_id, attachment: 'veth', own_rules: [{ direction: 'egress' }], groups: [] });
    await settled(id);
    expect(engines.functions.started.at(-1)?.port).toMatchObject({
      id: port?.id,
      networkId: network_id,
      ip: expect.any(String),
    });
    await replaced(id, { network: 'none' });
    expect(await portsOf(id)).toEqual([]);
    await settled(id);
    expect(engines.functions.started.at(-1)?.port).toBeNull();
    const back = await call('POST', `/functions/${id}/rollback`, { ...as(acme), body: { version: 1 } });
    expect(back.body).toMatchObject({ network: 'project', network_id });
    expect(await portsOf(id)).toHaveLength(1);
    expect((await call('DELETE', `/functions/${id}`, as(acme))).status).toBe(204);
    expect(await portsOf(id)).toEqual([]);
  });

  test('keeps its address while its groups change, and moves with its network', async () => {
    const { id } = await created({ network: 'project' });
    const [port] = await portsOf(id);
    const group = (await call('POST', '/network/security-groups', { ...as(acme), body: { name: 'inside' } })).body as {
      id: string;
    };
    await replaced(id, { network: 'project', security_group_ids: [group.id] });
    expect(await portsOf(id)).toMatchObject([{ id: port?.id, groups: [group.id] }]);
    const second = await call('POST', '/network/networks', {
      ...as(acme),
      body: { name: 'second', cidr: '10.9.0.0/24' },
    });
    expect(second.status).toBe(201);
    // The project has two networks by now, so that one must be named.
    expect((await create({ name: 'open', network: 'project' })).status).toBe(400);
    const { id: network_id } = second.body as { id: string };
    await replaced(id, { network: 'project', network_id });
    expect(await portsOf(id)).toMatchObject([{ network_id, groups: [] }]);
  });

  test('is of the own project alone', async () => {
    const network_id = await networkOf(other);
    expect((await create({ network: 'project', network_id })).status).toBe(404);
    const groups = (await call('GET', '/network/security-groups', as(other))).body as { id: string }[];
    const security_group_ids = groups.map(({ id }) => id);
    expect((await create({ network: 'project', security_group_ids })).status).toBe(404);
    expect((await create({ network: 'outbound', network_id: await networkOf(acme) })).status).toBe(400);
  });
});
