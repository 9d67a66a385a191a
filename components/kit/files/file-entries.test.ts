import { expect, test } from 'vitest';
import { type FileEntry, inOrder, nameOf, toggled, wayTo } from './file-entries';

const file = (key: string): FileEntry => ({ kind: 'file', key, size_bytes: 1, last_modified: '2026-11-21T12:00:00Z' });
const folder = (prefix: string): FileEntry => ({ kind: 'folder', prefix });

test('an entry is named by the last part of its key', () => {
  expect([folder('a/b/'), file('a/b/c.txt'), file('c.txt')].map(nameOf)).toEqual(['b', 'c.txt', 'c.txt']);
});

test('folders come first, and 10 after 9', () => {
  const entries = [file('log-10'), file('log-9'), folder('z/'), folder('a/')];
  expect(inOrder(entries).map(nameOf)).toEqual(['a', 'z', 'log-9', 'log-10']);
});

test('the path to a prefix consists of its folders', () => {
  expect(wayTo('')).toEqual([]);
  expect(wayTo('a/b/')).toEqual([
    { name: 'a', prefix: 'a/' },
    { name: 'b', prefix: 'a/b/' },
  ]);
});

test('Shift selects all rows in between', () => {
  const ids = ['a', 'b', 'c', 'd'];
  expect([...toggled(ids, new Set(), 'b')]).toEqual(['b']);
  expect([...toggled(ids, new Set(['b']), 'd', 'b')]).toEqual(['b', 'c', 'd']);
  expect([...toggled(ids, new Set(ids), 'a', 'c')]).toEqual(['d']);
  expect([...toggled(ids, new Set(), 'c', 'gone')]).toEqual(['c']);
});
