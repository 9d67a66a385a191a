import { describe, expect, test } from 'vitest';
import { formatMoney, formatRate, formatSpend } from './money';
import { formatNumber, formatPercent } from './number';
import { formatAmount, formatCount, formatPart, formatQuantity, formatUnits } from './quantity';
import { formatBytes, formatGigabytes } from './size';
import { formatDate, formatDuration, formatExact, formatRelative, formatWindow } from './time';

describe('money', () => {
  test.each([
    [0, '$0.00'],
    [1234.5, '$1,234.50'],
    ['1234.565', '$1,234.56'], // half-even, from the decimal text
    [-3.2, '-$3.20'],
    [0.009999, '$0.009999'],
    [0.000024, '$0.000024'],
    [0.005, '$0.005'],
  ])('%s reads %s', (amount, text) => expect(formatMoney(amount)).toBe(text));

  test('spend is never rounded up', () => {
    expect(formatSpend('9.999999')).toBe('$9.99');
    expect(formatSpend('1234.5')).toBe('$1,234.50');
    expect(formatSpend('0.004')).toBe('$0.004');
    expect(formatSpend(0)).toBe('$0.00');
  });

  test('a unit price keeps its fractions of a cent', () => {
    expect(formatRate(0.024, 'hour')).toBe('$0.024 / hour');
    expect(formatRate('0.20', '1M tokens')).toBe('$0.20 / 1M tokens');
  });
});

describe('numbers', () => {
  test('counts have no decimals, measures have two', () => {
    expect(formatNumber(64.0)).toBe('64');
    expect(formatNumber(4.567)).toBe('4.57');
  });

  test.each([
    [0, '0%'],
    [0.001, '<1%'],
    [0.805, '81%'],
    [0.999, '99%'],
    [1, '100%'],
    [1.2, '120%'],
  ])('a share of %s reads %s', (share, text) => expect(formatPercent(share)).toBe(text));
});

describe('sizes', () => {
  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1,023 bytes'],
    [1024, '1 KB'],
    [1024 ** 2 - 1, '1 MB'],
    [1.5 * 1024 ** 3, '1.5 GB'],
    [3 * 1024 ** 6, '3,072 PB'],
  ])('%s bytes read %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  test.each([
    [0, '0 GB'],
    [0.25, '256 MB'],
    [8, '8 GB'],
    [2048, '2 TB'],
  ])('%s GB reads %s', (gigabytes, text) => expect(formatGigabytes(gigabytes)).toBe(text));
});

describe('quantities', () => {
  test('one of a thing is singular, and an abbreviation has no plural', () => {
    expect(formatQuantity(1, 'vCPUs')).toBe('1 vCPU');
    expect(formatQuantity(4, 'vCPUs')).toBe('4 vCPUs');
    expect(formatQuantity(0.5, 'GB')).toBe('0.5 GB');
    expect(formatQuantity(1, 'Volumes')).toBe('1 volume');
    expect(formatQuantity(10, 'VMs')).toBe('10 VMs');
    expect(formatCount(1, 'secret')).toBe('1 secret');
    expect(formatCount(0, 'policy', 'policies')).toBe('0 policies');
  });
});

describe('a part of a limit', () => {
  test.each([
    [3 / 1024, 5, 'TB', '3 GB of 5 TB'],
    [0, 5, 'TB', '0 of 5 TB'],
    [0.5, 0.5, 'GB', '512 MB of 512 MB'],
    [1 / 1024, 16, 'GB', '1 MB of 16 GB'],
    [3, 10, 'VMs', '3 of 10 VMs'],
  ])('%s of %s %s reads %s', (used, limit, unit, text) => {
    expect(`${formatPart(used, unit)} of ${formatAmount(limit, unit)}`).toBe(text);
  });
});

describe('times', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');

  test.each([
    ['2026-11-21T11:59:57Z', 'just now'],
    ['2026-11-21T12:00:03Z', 'just now'],
    ['2026-11-21T11:59:48Z', '12 s ago'],
    ['2026-11-21T11:57:00Z', '3 min ago'],
    ['2026-11-21T09:30:00Z', '2 h ago'],
    ['2026-11-19T12:00:00Z', '2 d ago'],
    ['2026-11-21T12:15:30Z', 'in 15 min'],
    ['2026-01-02T12:00:00Z', '2 Jan 2026'],
  ])('%s reads %s', (moment, text) => expect(formatRelative(moment, now)).toBe(text));

  test('the exact time includes its time zone', () => {
    expect(formatExact('2026-11-21T08:55:12Z', 'UTC')).toBe('21 Nov 2026, 08:55:12 UTC');
    expect(formatExact('2026-11-21T08:55:12Z', 'Europe/Athens')).toMatch(/^21 Nov 2026, 10:55:12 /);
    expect(formatDate('2026-11-21T23:30:00Z', 'Europe/Athens')).toBe('22 Nov 2026');
  });

  test.each([
    [850, '850 ms'],
    [4_260, '4.2 s'],
    [59_999, '59 s'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [3_900_000, '1 h 5 min'],
    [183_600_000, '2 d 3 h'],
  ])('%s ms last %s', (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text));
});

test('a window names its day once, and both days if they differ', () => {
  const from = Date.UTC(2026, 2, 3, 10, 5);
  expect(formatWindow(from, from + 3_600_000, 'UTC')).toBe('3 Mar, 10:05 – 11:05');
  expect(formatWindow(from, from + 86_400_000, 'UTC')).toBe('3 Mar, 10:05 – 4 Mar, 10:05');
});

test('an amount of a unit of the rate card is plural where it should be, and abbreviations are unchanged', () => {
  expect(formatUnits(2, 'instance')).toBe('2 instances');
  expect(formatUnits(1, 'instance')).toBe('1 instance');
  expect(formatUnits(2, 'vCPU')).toBe('2 vCPUs');
  expect(formatUnits(20, 'GB')).toBe('20 GB');
});
