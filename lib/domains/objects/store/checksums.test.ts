import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ChecksumAlgorithm, combined, composite, summing } from './checksums';

const sumOf = (algorithm: ChecksumAlgorithm, ...pieces: Uint8Array[]) => {
  const sum = summing(algorithm);
  for (const piece of pieces) sum.update(piece);
  return sum.digest();
};
const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

// The check values of the catalogue of parametrised CRC algorithms, and of FIPS 180-4.
test.each([
  ['CRC32', 'cbf43926'],
  ['CRC32C', 'e3069283'],
  ['CRC64NVME', 'ae8b14860a799888'],
  ['SHA1', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
] as const)('%s of 123456789', (algorithm, value) => {
  expect(hex(sumOf(algorithm, Buffer.from('123456789')))).toBe(value);
});

test.each(['CRC32', 'CRC32C', 'CRC64NVME'] as const)('%s of a whole follows from its parts', (algorithm) => {
  const parts = [0, 1, 7, 8, 9, 100_003, 5].map((size) => randomBytes(size));
  const known = parts.map((part) => ({ value: sumOf(algorithm, part), size: part.length }));
  expect(combined(algorithm, known)).toBe(sumOf(algorithm, Buffer.concat(parts)));
  expect(sumOf(algorithm, ...parts)).toBe(sumOf(algorithm, Buffer.concat(parts)));
});

test('hashes have no whole that follows from parts; a composite is over the parts’ checksums', () => {
  expect(combined('SHA256', [])).toBeUndefined();
  const parts = [sumOf('SHA256', Buffer.from('a')), sumOf('SHA256', Buffer.from('b'))];
  const over = sumOf('SHA256', Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))));
  expect(composite('SHA256', parts)).toBe(`${over}-2`);
});
