import { expect, test } from 'vitest';
import { checksumIn } from './published-checksum';

const [one, two] = ['a'.repeat(64), 'B'.repeat(64)];

test('a list gives the checksum of exactly the file that is asked for', () => {
  const list = `${one}  disk.qcow2\n${two} *other-disk.qcow2\n`;
  expect(checksumIn(list, 'disk.qcow2', 'sha256')).toBe(one);
  expect(checksumIn(list, 'other-disk.qcow2', 'sha256')).toBe(two.toLowerCase());
  expect(checksumIn(list, 'qcow2', 'sha256')).toBeUndefined();
  expect(checksumIn(list, 'disk.qcow2', 'sha512')).toBeUndefined();
  expect(checksumIn(list.replace(one, one.slice(1)), 'disk.qcow2', 'sha256')).toBeUndefined();
});
