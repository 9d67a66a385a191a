'use client';

import type { TableFilter } from '@/components/kit/table/table-toolbar';
import { type Row, useList } from '@/lib/client/list';
import { formatMonth } from '@/lib/format/time';

export type MonthClosing = Row<'/admin/api/v1/billing/closings'>;

/** The platform's months and how far their closing is, the newest first. */
export function useClosings() {
  return useList('/admin/api/v1/billing/closings', {});
}

/** Narrows a list to a month: those that the platform has seen. */
export function useMonthFilter(): TableFilter {
  const { data } = useClosings();
  const options = data?.rows.map(({ month }) => ({ value: month, label: formatMonth(month) })) ?? [];
  return { name: 'month', label: 'Month', options };
}
