import { expect, test } from 'vitest';
import { newFirstPassword } from './first-password';

test('a initial password is long enough for the API, easy to read out, and never the same', () => {
  const many = Array.from({ length: 500 }, newFirstPassword);
  expect(many.filter((password) => !/^([a-hjkmnp-z2-9]{5}-){3}[a-hjkmnp-z2-9]{5}$/.test(password))).toEqual([]);
  expect(new Set(many).size).toBe(500);
  expect(new Set(many.join('')).size, 'every letter and the dash').toBe(32);
});
