'use client';

import { useQuery } from '@tanstack/react-query';
import { nextCursor } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import type { components, paths } from '@/lib/client/schema';
import type { DailyValue } from './daily-chart';

export type UsageQuery = NonNullable<paths['/api/v1/billing/usage']['get']['parameters']['query']>;
type Usage = components['schemas']['DailyUsage'];

const PAGE = 200;
/** So many pages are read for a picture; what is more than that is a table's. */
const MOST_PAGES = 10;

/** Usage day by day, summed over resources: as a quantity where one metric is asked for, as cost otherwise. */
export function useUsageByDay(filters: UsageQuery) {
  const { client } = useProject();
  return useQuery({
    queryKey: ['list', '/api/v1/billing/usage', 'by day', filters],
    queryFn: async ({ signal }) => {
      const rows: Usage[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const query = { ...filters, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
        const { data, response } = await client.GET('/api/v1/billing/usage', { params: { query }, signal });
        rows.push(...(data ?? []));
        cursor = nextCursor(response.headers.get('link'));
        if (cursor === undefined) return { complete: true, rows };
      }
      return { complete: false, rows };
    },
  });
}

/** The sums of the days from the first to the last of these rows; a day without any is nought. */
export function sumByDay(
  rows: readonly Usage[],
  of: 'quantity' | 'amount_usd',
  from: string,
  to: string,
): DailyValue[] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.day, (sums.get(row.day) ?? 0) + (row[of] ?? 0));
  return daysBetween(from, to).map((day) => ({ day, value: sums.get(day) ?? 0 }));
}

const DAY_MS = 86_400_000;

function daysBetween(from: string, to: string): string[] {
  const first = Date.parse(from);
  const count = Math.max(1, Math.round((Date.parse(to) - first) / DAY_MS) + 1);
  return Array.from({ length: count }, (_, position) => new Date(first + position * DAY_MS).toISOString().slice(0, 10));
}

/** The first and the last day (UTC) of a month, `2028-02`; of the one that runs, until today. */
export function spanOf(month: string, now: number): { from: string; to: string } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const last = Math.min(Date.UTC(year, number) - DAY_MS, now);
  return { from: `${month}-01`, to: new Date(last).toISOString().slice(0, 10) };
}

/** This month (UTC) and those before it, the newest first. */
export function monthsUntil(now: number, count: number): string[] {
  const present = new Date(now);
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(present.getUTCFullYear(), present.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  );
}
