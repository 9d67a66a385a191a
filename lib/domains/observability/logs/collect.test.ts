import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { execute, query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { each } from '@/lib/core/domains/domain';
import type { LogSource } from '@/lib/core/domains/logs';
import { merged } from '@/lib/core/domains/portal';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { domainTesting } from '@/lib/testing/domains';
import { createCell } from '@/lib/testing/hosts';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { serverSpec } from '@/lib/testing/service-spec';
import { domainsWithToys, endpoints } from '@/lib/testing/toy/platform';
import { createToyTables } from '@/lib/testing/toy/tables';
import { toysTesting } from '@/lib/testing/toy/testing';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { LogCollector, logsWatch } from './collect';

testDatabase();

const call = api(endpoints);
const cell = ownCell();
let engines: MemoryEngines;
let project: TestProject;
beforeAll(async () => {
  engines = useMemoryEngines();
  await createToyTables();
  await createCell(cell);
  project = await createProject('writers');
});

type Writer = { id: string; project_id: string; resource_id: string; resource_name: string };

/** Lines of a query, oldest first. */
async function found(selector: string, of = project): Promise<string[]> {
  const asked = new URLSearchParams({ query: selector, direction: 'forward', limit: '5000' });
  const { status, body } = await call('GET', `/observability/logs?${asked}`, { token: of.users.reader.token });
  expect(status).toBe(200);
  const { result } = (body as { data: { result: { values: [string, string][] }[] } }).data;
  return result
    .flatMap(({ values }) => values)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, line]) => line);
}

const fixtures = merged([...Object.values(domainTesting), toysTesting].map((testing) => testing.fixtures));
const writing = domainsWithToys.flatMap(({ name, logs }) =>
  each<LogSource>(logs)
    // Lines of several projects have a test where they are written.
    .filter(({ attribute }) => attribute === undefined)
    .map((source) => [name, source] as const),
);

async function writerOf(source: LogSource): Promise<Writer> {
  const rows = await query<Writer>(source.writers(cell));
  const own = rows.find(({ project_id }) => project_id === project.id);
  if (!own) throw new Error('no fixture of this domain writes lines');
  return own;
}

async function write({ from }: LogSource, id: string, line: string): Promise<void> {
  if (from === 'console') return engines.print(id, line);
  await engines.services.ensureService(serverSpec({ id }));
  engines.services.say(id, line);
}

describe('lines of every domain', () => {
  beforeAll(async () => {
    for (const create of Object.values(fixtures)) await create(project, call);
  });

  test('are collected more often than once a second', () => {
    expect(Math.max(...logsWatch(cell, []).looks.map(({ every_ms }) => every_ms))).toBeLessThan(1000);
  });

  test.each(writing)(
    'of %s are found by their labels after one look, once, by their project only',
    async (name, source) => {
      const writer = await writerOf(source);
      const other = await createProject(`not-${name}`);
      await write(source, writer.id, `level=error a line of ${name}`);
      const collector = new LogCollector(cell, [source]);
      await collector.look();
      await collector.look();
      await new LogCollector(cell, [source]).look();
      const selector = `{service="${source.service}", resource_id="${writer.resource_id}", resource_name="${writer.resource_name}", level="error", stream=~".+"}`;
      expect(await found(selector)).toEqual([`level=error a line of ${name}`]);
      expect(await found(selector, other)).toEqual([]);
    },
  );
});

describe('a writer that is removed', () => {
  async function createWriter(name: string, source: LogSource): Promise<[Writer, TestProject]> {
    const owner = await createProject(`gone-${name}`);
    for (const create of Object.values(fixtures)) await create(owner, call);
    const rows = await query<Writer>(source.writers(cell));
    const writer = rows.find(({ project_id }) => project_id === owner.id);
    if (!writer) throw new Error('no fixture of this domain writes lines');
    return [writer, owner];
  }
  const remove = ({ from }: LogSource, id: string) =>
    from === 'console' ? engines.compute.removeInstance(id) : engines.services.removeService(id);

  test.each(writing)('of %s: its log is read to its end first', async (name, source) => {
    const [{ id, resource_id }, owner] = await createWriter(name, source);
    const collector = new LogCollector(cell, [source]);
    await write(source, id, 'first');
    await collector.look();
    const last = Array.from({ length: 2500 }, (_, index) => `last ${index}`);
    for (const line of last) await write(source, id, line);
    await remove(source, id);
    await collector.end();
    expect(await found(`{resource_id="${resource_id}"} |~ "^(first|last)"`, owner)).toEqual(['first', ...last]);
  });

  test('goes although its log cannot be read', async () => {
    const [source] = consoles;
    if (!source) throw new Error('no domain has consoles');
    const [{ id }] = await createWriter('unread', source);
    const collector = new LogCollector(cell, [source]);
    const reading = vi.spyOn(engines.compute, 'readConsole').mockRejectedValue(new Error('broken'));
    await expect(remove(source, id)).resolves.toBeUndefined();
    expect(reading).toHaveBeenCalled();
    reading.mockRestore();
    await collector.end();
  });
});

const consoles = writing.flatMap(([, source]) => (source.from === 'console' ? [source] : []));

test('a writer that cannot be read keeps no other from being read', async () => {
  const [source] = consoles;
  if (!source) throw new Error('no domain has consoles');
  const { id } = await writerOf(source);
  engines.print(id, 'still read');
  const broken: LogSource = { ...source, from: 'process' };
  const failing = vi.spyOn(engines.services, 'readLog').mockRejectedValue(new Error('broken'));
  await new LogCollector(cell, [broken, source]).look();
  failing.mockRestore();
  expect(await found('{stream="console"} |= "still read"')).toEqual(['still read']);
});

test('lines that a writer lost are counted, said in the log, and notified once a day', async () => {
  const [source] = consoles;
  if (!source) throw new Error('no domain has consoles');
  const { id } = await writerOf(source);
  const lose = async () => {
    const { readConsole } = engines.compute;
    const reading = vi.spyOn(engines.compute, 'readConsole');
    reading.mockImplementation(async (of, cursor, limit) =>
      of === id ? { lines: [], cursor: `${Number(cursor ?? 0) + 1}`, dropped: 7 } : readConsole(of, cursor, limit),
    );
    await new LogCollector(cell, [source]).look();
    reading.mockRestore();
  };
  await lose();
  await lose();
  expect(await found('{stream="platform", level="warn"}')).toEqual(
    Array(2).fill(expect.stringMatching(/^7 lines or more were lost/)),
  );
  expect(
    await queryRow(sql`SELECT dropped_lines::int AS dropped FROM log_usage WHERE project_id = ${project.id}::uuid`),
  ).toEqual({ dropped: 14 });
  const { body } = await call('GET', '/notifications?kind=log_lines_dropped', { token: project.users.member.token });
  expect(body).toMatchObject([
    {
      kind: 'log_lines_dropped',
      resource: { type: 'project', id: project.id },
      facts: { day: expect.stringMatching(/^\d{4}-/) },
    },
  ]);
  const reader = await call('GET', '/notifications?kind=log_lines_dropped', { token: project.users.reader.token });
  expect(reader.body).toEqual([]);
});

describe('an agent that is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'neph-logs-'));
  const children = new Set<ChildProcess>();
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  test('loses and doubles no line, whenever it is killed', { timeout: 120_000 }, async () => {
    const source = writing.find(([name]) => name === 'toys')?.[1];
    if (!source) throw new Error('toys have no logs');
    const { id, resource_id } = await writerOf(source);
    // Of the engine in memory.
    await execute(sql`DELETE FROM log_cursors WHERE source = ${`writer:${id}`}::text`);
    const log = join(folder, 'engine', 'services', id, 'log');
    mkdirSync(log, { recursive: true });
    const texts: string[] = [];
    const begun = Date.now();
    /** As the shim of a service writes lines, each in a millisecond of its own: a kill may swap lines of the same one. */
    const say = (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const at = BigInt(begun + texts.length) * 1_000_000n;
        texts.push(`said ${texts.length}`);
        appendFileSync(join(log, '00000001'), `${at} o ${texts.at(-1)}\n`);
      }
    };
    const stored = () => found(`{resource_id="${resource_id}"} |= "said"`);
    for (let round = 0; round < 4; round += 1) {
      const isLast = round === 3;
      const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/log-worker.ts'], {
        env: { ...process.env, LOG_FOLDER: folder, KILL_AFTER_MS: isLast ? '' : String(150 + round * 70) },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      children.add(child);
      const ended = once(child, 'exit');
      // At most as many as one query gives, however slowly a process starts.
      const writer = setInterval(() => texts.length < 1100 * (round + 1) && say(3), 10);
      if (!isLast) await ended;
      clearInterval(writer);
      expect(child.signalCode).toBe(isLast ? null : 'SIGKILL');
    }
    await vi.waitFor(async () => expect(await stored()).toHaveLength(texts.length), { timeout: 60_000, interval: 50 });
    expect(await stored()).toEqual(texts);
  });
});
