import { describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { testDatabase } from '@/lib/testing/database';
import { burnPerHour, crossingAt, forecast, hasReached, type Meter, type MeterLine, readMeter, spendAt } from './meter';

testDatabase();

test('an unknown project has no meter, which is not the same as no spend', async () => {
  await expect(readMeter(newId())).rejects.toThrow('there is no project');
});

describe('a meter read in the middle of a month', () => {
  // 1,000 vCPU-hours at 0.024 and ten million tokens at 0.20 are 26 USD; two vCPUs continue at 0.048 per hour.
  const vcpus: MeterLine = {
    metric: 'compute_vcpu',
    held: '2',
    quantity: '3600000',
    price_usd: '0.024',
    as_of: new Date('2027-02-10T00:00:00Z'),
  };
  const tokens: MeterLine = {
    metric: 'ai_prompt_tokens',
    held: '5',
    quantity: '10000000',
    price_usd: '0.2',
    as_of: new Date('2027-02-09T00:00:00Z'),
  };
  const meter: Meter = { at: new Date('2027-02-11T00:00:00Z'), month: '2027-02', lines: [vcpus, tokens] };
  const idle: Meter = { ...meter, lines: [{ ...vcpus, held: '0' }, tokens] };

  test('gives present and later spend: held usage continues, counted usage does not, and the month ends', () => {
    expect(spendAt(meter).toFixed()).toBe('26');
    expect(spendAt(meter, new Date('2027-02-11T10:00:00Z')).toFixed()).toBe('26.48');
    expect(forecast(meter).toFixed()).toBe('46.736');
    expect(spendAt(meter, new Date('2027-04-01T00:00:00Z')).toFixed()).toBe('46.736');
    expect(forecast(idle).toFixed()).toBe('26');
    expect(burnPerHour(vcpus, '2027-02').toFixed()).toBe('0.048');
    expect(burnPerHour(tokens, '2027-02').toFixed()).toBe('0');
    expect([hasReached(meter, '26'), hasReached(meter, '26.000000000001')]).toEqual([true, false]);
  });

  test.each<[amount: string, at: string | undefined, when: string]>([
    ['26.48', '2027-02-11T10:00:00.000Z', 'ten hours from now'],
    ['26.4800001', '2027-02-11T10:00:00.008Z', 'no earlier than it is reached'],
    ['25.5', '2027-02-10T13:35:00.000Z', 'since the last change'],
    ['20', '2027-02-10T00:00:00.000Z', 'before the last change: then at the latest'],
    ['46.735', '2027-02-28T23:58:45.000Z', 'in the last minutes'],
    ['46.736', undefined, 'with the month itself: not in it'],
  ])('dates %s USD at %s: %s', (amount, at) => {
    expect(crossingAt(meter, amount)?.toISOString()).toBe(at);
  });

  test('finds no moment for an unreached amount when nothing is running', () => {
    expect(crossingAt(idle, '26.01')).toBeNull();
    expect(crossingAt(idle, '26')).toEqual(vcpus.as_of);
  });
});
