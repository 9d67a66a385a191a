import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ChecksumAlgorithm, combined, composite, summing } from './checksums';

const sumOf = async (algorithm: ChecksumAlgorithm, ...pieces: Uint8Array[]) => {
  const sum = await summing(algorithm);
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
] as const)('%s of 123456789', async (algorithm, value) => {
  expect(hex(await sumOf(algorithm, Buffer.from('123456789')))).toBe(value);
});

test.each(['CRC32', 'CRC32C', 'CRC64NVME'] as const)('%s of a whole follows from its parts', async (algorithm) => {
  const parts = [0, 1, 7, 8, 9, 100_003, 5].map((size) => randomBytes(size));
  const known = await Promise.all(
    parts.map(async (part) => ({ value: await sumOf(algorithm, part), size: part.length })),
  );
  expect(combined(algorithm, known)).toBe(await sumOf(algorithm, Buffer.concat(parts)));
  expect(await sumOf(algorithm, ...parts)).toBe(await sumOf(algorithm, Buffer.concat(parts)));
});

test('hashes have no whole that follows from parts; a composite is over the parts’ checksums', async () => {
  expect(combined('SHA256', [])).toBeUndefined();
  const parts = [await sumOf('SHA256', Buffer.from('a')), await sumOf('SHA256', Buffer.from('b'))];
  const over = await sumOf('SHA256', Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))));
  expect(await composite('SHA256', parts)).toBe(`${over}-2`);
});
