import { describe, expect, test } from 'vitest';
import { pairProblems, pairsToRecord, parsePairs, withTag } from './pairs';

describe('a pasted text', () => {
  test('from an environment file becomes pairs', () => {
    const text = '# database\nexport HOST=db.internal\r\nPASSWORD="a=b c"\n\nEMPTY=\n';
    expect(parsePairs(text)).toEqual([
      { key: 'HOST', value: 'db.internal' },
      { key: 'PASSWORD', value: 'a=b c' },
      { key: 'EMPTY', value: '' },
    ]);
  });

  test.each(['', 'plain words', 'A=1\nnot a pair'])('%j is not a list of pairs', (text) =>
    expect(parsePairs(text)).toBeUndefined(),
  );
});

test('a duplicate key is reported at its second row', () => {
  const pairs = [
    { key: 'A', value: '1' },
    { key: '', value: '' },
    { key: 'A ', value: '2' },
    { key: '', value: '3' },
  ];
  expect(pairProblems(pairs)).toEqual([undefined, undefined, 'A is already in row 1.', 'Enter a key.']);
  expect(pairsToRecord(pairs.slice(0, 2))).toEqual({ A: '1' });
});

test('a tag is added once, and a comma separates several', () => {
  expect(withTag(['web'], ' prod, web ,eu ')).toEqual(['web', 'prod', 'eu']);
  expect(withTag([], 'a,a')).toEqual(['a']);
  const tags = ['web'];
  expect(withTag(tags, ' web ')).toBe(tags);
});
