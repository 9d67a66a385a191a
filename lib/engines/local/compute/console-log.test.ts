import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { endLastLine, lastLines, readConsolePage, trimLog } from './console-log';

const folder = mkdtempSync(join(tmpdir(), 'neph-console-'));
afterAll(() => rmSync(folder, { recursive: true }));

const messages = async (file: string, cursor: string | null, limit = 100_000) => {
  const page = await readConsolePage(file, cursor, limit);
  return { ...page, lines: page.lines.map(({ message }) => message) };
};

test('whole lines after a cursor are read once, without carriage returns and control sequences', async () => {
  const file = join(folder, 'lines');
  expect(await messages(file, null)).toEqual({ lines: [], cursor: '0', dropped: 0 });
  appendFileSync(file, 'one\r\n\u001b[32mtwo\u001b[0m\r\nthree');
  const first = await messages(file, null, 1);
  expect(first.lines).toEqual(['one']);
  const second = await messages(file, first.cursor);
  expect(second.lines).toEqual(['two']);
  expect(await messages(file, second.cursor)).toEqual({ ...second, lines: [] });
  appendFileSync(file, ' and a half\n');
  expect((await messages(file, second.cursor)).lines).toEqual(['three and a half']);
});

test('the last line of a machine that has ended is read, with or without an end', async () => {
  const file = join(folder, 'last');
  await endLastLine(file);
  expect(await messages(file, null)).toMatchObject({ lines: [], cursor: '0' });
  appendFileSync(file, 'one\nKernel panic');
  await endLastLine(file);
  await endLastLine(file);
  expect((await messages(file, null)).lines).toEqual(['one', 'Kernel panic']);
});

test('a line without an end does not stop the reading', async () => {
  const file = join(folder, 'endless');
  appendFileSync(file, `${'x'.repeat(300 * 1024)}\nnext\n`);
  const first = await messages(file, null);
  expect([first.lines.length, first.lines[0]?.length]).toEqual([1, 256 * 1024]);
  expect((await messages(file, first.cursor)).lines).toEqual(['x'.repeat(44 * 1024), 'next']);
});

const cannot = () => Promise.reject(new Error('fallocate: Operation not supported'));

test.each([
  ['holes', undefined],
  ['no holes', cannot],
])(
  'a trimmed log keeps its end and its cursors on a file system with %s; a reader before the cut learns of lost lines',
  async (name, free) => {
    const file = join(folder, `talkative ${name}`);
    const line = (index: number) => `${index} ${'x'.repeat(1000)}\n`;
    appendFileSync(file, Array.from({ length: 12_000 }, (_, index) => line(index)).join(''));
    const late = await messages(file, null, 10);
    const { size } = statSync(file);
    await trimLog(file, free);
    expect([statSync(file).size, statSync(file).blocks * 512 < 3 * 1024 ** 2]).toEqual([size, true]);
    expect((await lastLines(file, 1)).output).toBe(line(11_999));
    appendFileSync(file, 'after the cut\n');
    expect((await messages(file, String(size))).lines).toEqual(['after the cut']);
    const { lines, dropped, cursor } = await messages(file, late.cursor);
    expect([dropped, lines[0]?.length, Number(cursor) > size - 2 * 1024 ** 2]).toEqual([
      1,
      line(9999).length - 1,
      true,
    ]);
  },
);

test('a cursor beyond the end begins anew, and nonsense is refused', async () => {
  const file = join(folder, 'anew');
  appendFileSync(file, 'first\n');
  expect((await messages(file, '999')).lines).toEqual(['first']);
  await expect(readConsolePage(file, 'x', 1)).rejects.toMatchObject({ code: 'INVALID' });
});
