import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { conflict } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { query } from '@/lib/core/db/pool';
import { join, raw, sql } from '@/lib/core/db/sql';
import { foldUsage } from '@/lib/money/metering/usage-events';
import { platformSpendNow } from '@/lib/money/rating/meter';
import { endOf, type Month, monthOf } from '@/lib/money/rating/month';
import { closeMonths, GRACE_MS } from './close';
import type { MonthClosing } from './schema';

const money = (text: string) => JsonNumber.money(text);

/** The progress of closing each month, newest first, including the current month. */
export async function listClosings(): Promise<Sendable<MonthClosing>[]> {
  type Sums = Record<'subtotal_usd' | 'credit_usd' | 'due_usd' | 'paid_usd' | 'open_usd', string>;
  type Row = Sums & {
    at: Date;
    month: Month;
    closed_at: Date | null;
    projects_left: number;
    invoices: number;
    failed: number;
  };
  const rows = await query<Row>(sql`
    WITH months AS (SELECT month::date FROM generate_series((SELECT least(min(month_of(created_at)), month_of(platform_now())) FROM projects)::timestamp,
      month_of(platform_now()), interval '1 month') AS month)
    SELECT platform_now() AS at, to_char(m.month, 'YYYY-MM') AS month, count(i.id)::int AS invoices, count(*) FILTER (WHERE p.status = 'failed')::int AS failed,
      ${join(
        ['subtotal_usd', 'credit_usd', 'due_usd'].map((column) => raw(`coalesce(sum(i.${column}), 0) AS ${column}`)),
        ', ',
      )}, coalesce(sum(i.due_usd) FILTER (WHERE p.status = 'paid'), 0) AS paid_usd,
      coalesce(sum(i.due_usd) FILTER (WHERE p.status IN ('open', 'failed', 'deferred')), 0) AS open_usd, max(i.issued_at) AS closed_at,
      (SELECT count(*)::int FROM project_accounts a JOIN projects t ON t.id = a.project_id
        WHERE coalesce(a.billed_until, month_of(t.created_at)) <= m.month) AS projects_left
    FROM months m LEFT JOIN invoices i ON i.month = m.month LEFT JOIN invoice_payments p ON p.invoice_id = i.id
    GROUP BY m.month ORDER BY m.month DESC LIMIT 120`);
  const now = await platformSpendNow();
  return rows.map(({ at, ...row }) => ({
    ...row,
    state: stateOf(row, at),
    closes_at: closesAt(row.month).toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    subtotal_usd: money(row.subtotal_usd),
    credit_usd: money(row.credit_usd),
    due_usd: money(row.due_usd),
    paid_usd: money(row.paid_usd),
    open_usd: money(row.open_usd),
    so_far_usd: row.month === now.month ? JsonNumber.money(now.spend) : null,
  }));
}

const closesAt = (month: Month) => new Date(endOf(month).getTime() + GRACE_MS);

function stateOf({ month, projects_left }: { month: Month; projects_left: number }, at: Date): MonthClosing['state'] {
  if (month >= monthOf(at)) return 'running';
  if (projects_left === 0) return 'closed';
  return at < closesAt(month) ? 'ended' : 'due';
}

/** Closes an ended month now. Closing it again changes nothing. @throws ApiError 409 while it is still running */
export async function closeMonth(call: AdministratorCall, month: Month): Promise<Sendable<MonthClosing>> {
  call.record.resource = { type: 'month', id: month, name: month };
  const found = () => listClosings().then((closings) => closings.find((closing) => closing.month === month));
  const before = await found();
  if (!before) throw conflict(`This platform has no usage for ${month}.`);
  if (before.state === 'running') {
    throw conflict(`${month} has not ended. It can be closed from ${endOf(month).toISOString()}.`);
  }
  // Usage already recorded belongs on the invoice.
  await foldUsage();
  const invoices = await closeMonths({ until: month });
  call.record.details = { month, invoices };
  return (await found()) ?? before;
}
