import { expect, test } from 'vitest';
import { enlargedTo, roomyShare } from './disk';

const GB = 1024 ** 3;

test('a cluster takes writes again with twice what counts as full, or half a gigabyte more', () => {
  expect(roomyShare(0.04, 1)).toBeCloseTo(0.08);
  expect(roomyShare(0.04, 100)).toBeCloseTo(0.045);
  expect(roomyShare(0.04, 100, 1.5)).toBeCloseTo(0.045);
  expect(roomyShare(0.04, 1, 1.5)).toBeCloseTo(0.06);
});

test.each([
  [1, 0.9, 2],
  // One more gigabyte would still leave less than 4 % free.
  [100, 94.9, 105],
  [14, 13, 15],
])('a full disk of %d GB with %d GB of data needs %d GB', (storage_gb, used, enough) => {
  const cluster = { storage_gb, used_bytes: used * GB };
  expect(enlargedTo(cluster)).toBe(`its storage is enlarged to ${enough} GB or more`);
});

test('without a measurement, the next larger one is named', () => {
  expect(enlargedTo({ storage_gb: 5, used_bytes: null })).toContain('to 6 GB');
});
