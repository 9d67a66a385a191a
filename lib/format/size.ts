import { formatNumber } from './number';

const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Bytes in the largest unit that keeps the number at 1 or more. 1 KB is 1024 bytes, as in the quotas. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  // 1023.995 and up would be shown as 1,024, so use the next unit.
  while (Math.abs(value) >= 1023.995 && step < units.length - 1) {
    value /= 1024;
    step += 1;
  }
  if (step === 0) return value === 1 ? '1 byte' : `${formatNumber(value)} bytes`;
  return `${formatNumber(value)} ${units[step]}`;
}

/** The value of a `_gb` field: `0.25` → `256 MB`, `2048` → `2 TB`. */
export function formatGigabytes(gigabytes: number): string {
  return gigabytes === 0 ? '0 GB' : formatBytes(gigabytes * 1024 ** 3);
}
