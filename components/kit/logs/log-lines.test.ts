import { describe, expect, test } from 'vitest';
import { findLines, lineOf, logLines, logSpans, markMatches, plainLine } from './log-lines';

const ESC = String.fromCharCode(27);

describe('log lines', () => {
  test('a trailing newline adds no empty line', () => {
    expect(logLines('one\ntwo\n')).toEqual(['one', 'two']);
    expect(logLines('')).toEqual([]);
    expect(logLines('one\n\ntwo')).toEqual(['one', '', 'two']);
  });

  test('of an overwritten line, the last text remains', () => {
    expect(logLines('10%\r50%\r100%\r\nnext\r\n')).toEqual(['100%', 'next']);
  });

  test('cursor movements and titles are removed', () => {
    expect(logLines(`${ESC}[2K${ESC}[1Gboot${ESC}]0;title${String.fromCharCode(7)} done${ESC}(B`)).toEqual([
      'boot done',
    ]);
  });

  test('a colour continues on the next line until it ends', () => {
    const lines = logLines(`${ESC}[31mfirst\nsecond${ESC}[0m\nthird`);
    expect(lines.map((line) => logSpans(line)[0]?.className)).toEqual(['text-critical-ink', 'text-critical-ink', '']);
    expect(lines.map(plainLine)).toEqual(['first', 'second', 'third']);
  });

  test('100,000 coloured lines are read and searched in linear time', () => {
    const text = Array.from({ length: 100_000 }, (_, line) => `${ESC}[32minfo${ESC}[0m request ${line} served`).join(
      '\n',
    );
    // In quadratic time this would take hours: the limit detects that, even on a busy machine.
    const startedAt = performance.now();
    const plain = logLines(text).map(plainLine);
    expect(findLines(plain, 'REQUEST 99999')).toEqual([99_999]);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

describe('spans', () => {
  test('colours are tokens and text is never markup', () => {
    expect(logSpans(`${ESC}[1;31m<b>error</b>${ESC}[0m: gone`)).toEqual([
      { text: '<b>error</b>', className: 'text-critical-ink font-semibold' },
      { text: ': gone', className: '' },
    ]);
  });
});

describe('search', () => {
  test('ignores case, and finds nothing for an empty query', () => {
    expect(findLines(['Ready', 'error: disk', 'ERROR: net'], 'error')).toEqual([1, 2]);
    expect(findLines(['Ready'], '')).toEqual([]);
  });

  test('marks every match and keeps all text', () => {
    const parts = markMatches('Error: no error', 'error');
    expect(parts.filter(({ match }) => match).map(({ text }) => text)).toEqual(['Error', 'error']);
    expect(parts.map(({ text }) => text).join('')).toBe('Error: no error');
    expect(
      markMatches('İstanbul', 'i')
        .map(({ text }) => text)
        .join(''),
    ).toBe('İstanbul');
  });
});

test.each([
  ['1', 0],
  ['120', 119],
  ['121', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['1e2', undefined],
  [null, undefined],
])('of 120 lines, %s in the address is position %s', (value, position) => expect(lineOf(value, 120)).toBe(position));
