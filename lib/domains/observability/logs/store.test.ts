import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createProject } from '@/lib/testing/world';
import { Chunk, packChunk } from './chunk';
import type { StreamLabels } from './labels';
import { progressOf } from './progress';
import { findLines, readQuery } from './query';
import { readChunks, streamsOf, streamsWithin } from './read';
import { arrivalPurge, mergeChunks, removeOldLines } from './upkeep';
import { type LogEntry, writeLogs } from './write';

testDatabase();

let project: string;
beforeAll(async () => {
  project = (await createProject('logs')).id;
});

const labels = (name: string): StreamLabels => ({
  service: 'compute',
  resource_id: name,
  resource_name: name,
  level: 'info',
  stream: 'console',
});
const entry = (name: string, at: string, text: string): LogEntry => ({
  project_id: project,
  labels: labels(name),
  at: new Date(at),
  text,
});
const everything = { from_us: 0, to_us: 4e15 };

/** All lines of a resource, oldest first. */
async function linesOf(name: string): Promise<string[]> {
  const streams = (await streamsOf(project, { audit: true })).filter((stream) => stream.labels.resource_id === name);
  const stats = { chunks: 0, lines: 0, bytes: 0, damaged: 0 };
  const lines: { at_us: number; text: string }[] = [];
  for await (const { chunks } of readChunks(project, streams, everything, 'forward', stats)) {
    for (const { chunk } of chunks) {
      for (let index = 0; index < chunk.length; index += 1) lines.push(chunk.lineAt(index));
    }
  }
  return lines.sort((one, other) => one.at_us - other.at_us).map(({ text }) => text);
}

const storedBytes = async () =>
  await queryRow<{ bytes: number; used: number }>(sql`
      SELECT (SELECT sum(octet_length(body))::int FROM log_chunks WHERE project_id = ${project}::uuid) AS bytes,
        stored_bytes::int AS used FROM log_usage WHERE project_id = ${project}::uuid`);

const chunksOf = async (name: string) =>
  (
    await queryRow<{ chunks: number }>(sql`
      SELECT count(*)::int AS chunks FROM log_chunks c JOIN log_streams s ON s.id = c.stream_id WHERE s.labels ->> 'resource_id' = ${name}::text`)
  ).chunks;

/** As two minutes after the last write. */
async function forgetArrivals(): Promise<void> {
  await setTestClock(121_000);
  await arrivalPurge.run(forever);
  await setTestClock(0);
}

const forever = new AbortController().signal;

describe('a chunk', () => {
  const lines = [
    { at_us: 1_700_000_000_000_000, text: 'GET /a ok' },
    { at_us: 1_700_000_000_000_001, text: '' },
    { at_us: 1_700_000_123_456_789, text: 'two\nlines, käse' },
    { at_us: 1_700_000_123_456_789, text: 'ok again: ok ok' },
  ];

  test('gives back every line and its time to the microsecond', async () => {
    const chunk = await Chunk.unpack(await packChunk(lines));
    expect(Array.from({ length: chunk.length }, (_, index) => chunk.lineAt(index))).toEqual(lines);
  });

  test('finds each line with a text once, never across two lines', async () => {
    const chunk = await Chunk.unpack(await packChunk(lines));
    const find = (text: string) => chunk.linesWith(Buffer.from(text));
    expect([find('ok'), find('käse'), find('absent'), find('two')]).toEqual([[0, 3], [2], [], [2]]);
    expect(find('again: ok ok')).toEqual([3]);
  });

  test('is refused if any byte of it changed', async () => {
    const packed = await packChunk(lines);
    for (const at of [0, 1, packed.body.length - 1]) {
      const body = Buffer.from(packed.body);
      body[at] = (body[at] ?? 0) ^ 1;
      await expect(Chunk.unpack({ ...packed, body })).rejects.toThrow('checksum');
    }
  });
});

describe('the store', () => {
  test('gives lines of one moment back in the order in which they were written, each at a time of its own', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    await writeLogs(texts.map((text) => entry('order', '2026-03-01T12:00:00Z', text)));
    expect(await linesOf('order')).toEqual(texts);
  });

  test('cuts a line that is longer than 64 KiB, at a character', async () => {
    await writeLogs([entry('long', '2026-03-01T12:00:00Z', `x${'ä'.repeat(40_000)}`)]);
    const [line = ''] = await linesOf('long');
    expect([line.length, line.endsWith('ä…')]).toEqual([1 + 32_767 + 1, true]);
  });

  test('stores the lines of a source once, however many readers read them', async () => {
    const lines = [entry('once', '2026-03-01T12:00:00Z', 'only once')];
    const first = { source: 'test:once', before: null, after: '1' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => writeLogs(lines, first)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(
      await writeLogs([entry('once', '2026-03-01T12:00:01Z', 'next')], { ...first, before: '1', after: '2' }),
    ).toBe(true);
    expect(
      await writeLogs([entry('once', '2026-03-01T12:00:01Z', 'next')], { ...first, before: '1', after: '2' }),
    ).toBe(false);
    expect(await linesOf('once')).toEqual(['only once', 'next']);
    expect(await progressOf('test:once')).toBe('2');
  });

  test('has no line and no progress of a write that failed', async () => {
    const orphan = { ...entry('lost', '2026-03-01T12:00:00Z', 'x'), project_id: newId() };
    const progress = { source: 'test:failed', before: null, after: '1' };
    await expect(writeLogs([entry('lost', '2026-03-01T12:00:00Z', 'x'), orphan], progress)).rejects.toThrow();
    expect([await linesOf('lost'), await progressOf('test:failed')]).toEqual([[], null]);
  });

  test('reads no chunk that lacks a text of the query, and every chunk of earlier versions', async () => {
    for (const word of ['needle', 'thread', 'button']) {
      await writeLogs([entry('words', '2026-03-01T12:00:00Z', `one ${word} in a line`)]);
    }
    const read = async (query: string) => {
      const reader = { project_id: project, audit: false };
      const log = readQuery(query, reader);
      if (log.kind !== 'log') throw new Error('not a query for lines');
      const options = { span: everything, limit: 10, direction: 'forward', signal: forever } as const;
      const { result, stats } = await findLines(log, reader, options);
      return { lines: result.flatMap(({ entries }) => entries).length, chunks: stats.chunks };
    };
    expect(await read('{resource_id="words"}')).toEqual({ lines: 3, chunks: 3 });
    expect(await read('{resource_id="words"} |= "needle in"')).toEqual({ lines: 1, chunks: 1 });
    expect(await read('{resource_id="words"} |= "in a line" |= "thread"')).toEqual({ lines: 1, chunks: 1 });
    expect(await read('{resource_id="words"} |= "haystack"')).toEqual({ lines: 0, chunks: 0 });
    expect(await read('{resource_id="words"} |= "one"')).toEqual({ lines: 3, chunks: 3 });
    expect(await read('{resource_id="words"} != "needle"')).toEqual({ lines: 2, chunks: 3 });
    expect(await read('{resource_id="words"} | line_format "haystack" |= "haystack"')).toEqual({ lines: 3, chunks: 3 });
    await execute(sql`UPDATE log_chunks SET grams = NULL WHERE project_id = ${project}::uuid`);
    expect(await read('{resource_id="words"} |= "needle in"')).toEqual({ lines: 1, chunks: 3 });
  });

  test('ends a query whose caller has left, as no failure of the query', async () => {
    const leaving = new AbortController();
    leaving.abort();
    const reader = { project_id: project, audit: false };
    const log = readQuery('{service="compute"}', reader);
    if (log.kind !== 'log') throw new Error('not a query for lines');
    const options = { span: everything, limit: 10, direction: 'forward', signal: leaving.signal } as const;
    await expect(findLines(log, reader, options)).rejects.toBe(leaving.signal.reason);
  });

  test('merges small chunks, two minutes old, into larger ones without losing, doubling or reordering a line, and counts their bytes', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `merged ${index}`);
    for (const [index, text] of texts.entries()) {
      await writeLogs([entry('merge', new Date(Date.UTC(2026, 2, 1) + index * 1000).toISOString(), text)]);
    }
    await mergeChunks(forever);
    expect(await chunksOf('merge')).toBe(100);
    await forgetArrivals();
    await Promise.all([mergeChunks(forever), mergeChunks(forever)]);
    expect(await linesOf('merge')).toEqual(texts);
    expect(await chunksOf('merge')).toBeLessThanOrEqual(8);
    const { bytes, used } = await storedBytes();
    expect(used).toBe(bytes);
  });

  test('leaves a damaged chunk out, and merges nothing of it', async () => {
    await writeLogs([entry('damaged', '2026-03-01T12:00:00Z', 'will be damaged')]);
    await writeLogs([entry('damaged', '2026-03-01T12:00:01Z', 'stays')]);
    await execute(sql`UPDATE log_chunks SET body = set_byte(body, 3, (get_byte(body, 3) + 1) % 256)
      WHERE id = (SELECT min(c.id) FROM log_chunks c JOIN log_streams s ON s.id = c.stream_id WHERE s.labels ->> 'resource_id' = 'damaged')`);
    await forgetArrivals();
    await mergeChunks(forever);
    expect(await linesOf('damaged')).toEqual(['stays']);
  });

  test('says which streams have lines in a span', async () => {
    await writeLogs([entry('early', '2026-02-01T00:00:00Z', 'a'), entry('late', '2026-02-02T00:00:00Z', 'b')]);
    const of = async (from: string, to: string) => {
      const span = { from_us: Date.parse(from) * 1000, to_us: Date.parse(to) * 1000 };
      const streams = await streamsWithin(project, await streamsOf(project, { audit: true }), span);
      return streams.map(({ labels }) => labels.resource_id);
    };
    expect(await of('2026-02-01T00:00:00Z', '2026-02-01T00:00:01Z')).toEqual(['early']);
    expect(await of('2026-02-01T00:00:01Z', '2026-02-02T00:00:00Z')).toEqual([]);
  });

  test('removes lines after LOG_RETENTION_DAYS, and writes to a stream that it removed', async () => {
    await writeLogs([entry('old', '2020-01-01T00:00:00Z', 'gone')]);
    await execute(sql`UPDATE log_streams SET created_at = '2020-01-01' WHERE labels ->> 'resource_id' = 'old'`);
    await removeOldLines(forever);
    expect(
      await streamsOf(project, { audit: true }).then((all) => all.some(({ labels }) => labels.resource_id === 'old')),
    ).toBe(false);
    await writeLogs([entry('old', new Date().toISOString(), 'new')]);
    expect(await linesOf('old')).toEqual(['new']);
    const { bytes, used } = await storedBytes();
    expect(used).toBe(bytes);
  });

  test('drops and counts lines over the limit of the project, and says so in the log', async () => {
    const other = (await createProject('busy')).id;
    const lines = Array.from({ length: 60_000 }, (_, index) => ({
      ...entry('busy', '2026-03-01T12:00:00Z', `line ${index}`),
      project_id: other,
    }));
    await writeLogs(lines);
    const [usage] = await query<{ dropped: number }>(
      sql`SELECT dropped_lines::int AS dropped FROM log_usage WHERE project_id = ${other}::uuid`,
    );
    const [kept] = await query<{ lines: number }>(
      sql`SELECT sum(lines)::int AS lines FROM log_chunks WHERE project_id = ${other}::uuid`,
    );
    expect(usage?.dropped).toBeGreaterThan(0);
    expect((usage?.dropped ?? 0) + (kept?.lines ?? 0) - 1).toBe(60_000);
    const streams = await streamsOf(other, { audit: true });
    expect(streams.map(({ labels }) => labels.stream).toSorted()).toEqual(['console', 'platform']);
  });
});
