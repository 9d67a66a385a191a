import { expect, test } from 'vitest';
import { paceOf } from './pace';
import { crossedAt, dayTicks, limitLines, spendPoints } from './spend-series';

const pace = paceOf({
  month: '2028-02',
  as_of: '2028-02-03T12:00:00.000Z',
  month_to_date_usd: 6,
  burn_usd_per_hour: 0.1,
});
const day = (number: number, hour = 0) => Date.UTC(2028, 1, number, hour);

test('spend is drawn at the end of each day, until now, and the forecast goes on from there', () => {
  const by_day = [
    { day: '2028-02-01', amount_usd: 1 },
    { day: '2028-02-02', amount_usd: 2 },
    { day: '2028-02-03', amount_usd: 3 },
  ];
  expect(spendPoints({ by_day, forecast_usd: 68 }, pace)).toEqual([
    { at: day(1), spent: 0 },
    { at: day(2), spent: 1 },
    { at: day(3), spent: 3 },
    { at: day(3, 12), spent: 6, forecast: 6 },
    { at: day(30), forecast: 68 },
  ]);
});

test('usage of an earlier month that became known late is spent from the beginning of the month', () => {
  const by_day = [
    { day: '2028-01-30', amount_usd: 1 },
    { day: '2028-01-31', amount_usd: 2 },
    { day: '2028-02-01', amount_usd: 3 },
  ];
  expect(spendPoints({ by_day, forecast_usd: 68 }, pace).slice(0, 2)).toEqual([
    { at: day(1), spent: 3 },
    { at: day(2), spent: 6 },
  ]);
});

test('a budget is reached where the line crosses it: between two days, or on the way of the forecast', () => {
  const points = [
    { at: day(1), spent: 0 },
    { at: day(2), spent: 10 },
    { at: day(3), spent: 20, forecast: 20 },
    { at: day(5), forecast: 40 },
  ];
  expect(crossedAt(points, 15)).toBe(day(2, 12));
  expect(crossedAt(points, 20)).toBe(day(3));
  expect(crossedAt(points, 30)).toBe(day(4));
  expect(crossedAt(points, 41)).toBeUndefined();
});

test('a limit far above what is drawn is no line, which would press the picture flat', () => {
  const amounts = (limit: number | null, lift = 0) => limitLines(limit, lift, 100).map(({ amount }) => amount);
  expect(amounts(null)).toEqual([]);
  expect(amounts(250)).toEqual([250]);
  expect(amounts(251)).toEqual([]);
  expect(amounts(80, 20)).toEqual([80, 100]);
});

test('days stand evenly below the picture, the first one among them', () => {
  expect(dayTicks(pace, 3)).toEqual([day(1), day(11), day(21)]);
  expect(dayTicks(pace, 6)).toEqual([day(1), day(6), day(11), day(16), day(21), day(26)]);
});
