import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UserIds } from './user-ids';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'neph-users-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('two holders never have one user, also where the same one would suit both', () => {
  const users = new UserIds(join(folder, 'users.json'), 1000, () => 7);
  expect(['a', 'b', 'c'].map((holder) => users.allot(holder))).toEqual([1007, 1008, 1009]);
  expect(users.allot('b')).toBe(1008);
});

it('a holder keeps its user over a restart, until it is freed', () => {
  const users = () => new UserIds(join(folder, 'users.json'), 1000, () => 7);
  for (const holder of ['a', 'b']) users().allot(holder);
  expect(users().find('b')).toBe(1008);
  users().free('a');
  users().free('nobody');
  expect(users().allot('c')).toBe(1007);
  expect(readdirSync(folder)).toEqual(['users.json']);
});

it('a user that was freed is the last to be allotted again', () => {
  const users = new UserIds(join(folder, 'users.json'), 1000);
  expect(users.allot('a')).toBe(1000);
  users.free('a');
  expect(users.find('b')).toBe(1001);
  expect(users.allot('b')).toBe(1001);
});
