import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { terminalLine } from './terminal-log';

const shown = (entry: object) =>
  stripVTControlCharacters(
    terminalLine(JSON.stringify({ level: 30, time: '2026-01-02T03:04:05Z', process: 'web', ...entry })),
  );

it('a request is one short line: request, answer, duration', () => {
  const line = shown({ request_id: 'r', endpoint: 'quota_get', status: 200, ms: 3, address: '::1', msg: 'GET /x 200' });
  expect(line).toMatch(/^\d\d:\d\d:05 web {6}GET \/x 200 {2}3 ms$/);
});

it('an error shows its stack and its details', () => {
  const line = shown({
    level: 50,
    msg: 'it failed',
    operation: 'o1',
    err: { message: 'no', stack: 'Error: no\n  at x' },
  });
  expect(line).toMatch(/it failed {2}operation=o1\nError: no\n {2}at x$/);
});

it('other output passes unchanged', () => {
  expect(terminalLine(' ▲ Next.js')).toBe(' ▲ Next.js');
  expect(terminalLine('{"a":1}')).toBe('{"a":1}');
});
