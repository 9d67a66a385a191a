import type { AdministratorCall, PersonCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { equals, equalsId, listOf, oneOf } from '@/lib/core/api/list';
import { queryOne, queryRow } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { purge } from '@/lib/core/operations/purge';
import { commit } from '@/lib/core/quota/commit';
import {
  type IncidentNotification,
  incidentNotificationQuery,
  type Notification,
  notificationQuery,
  type Preferences,
} from './schema';

type AccountCall = PersonCall | AdministratorCall;
type Row<Shown> = Shown extends { created_at: string }
  ? Omit<Shown, 'created_at' | 'read_at'> & { created_at: Date; read_at: Date | null }
  : never;

const columns = raw(`id, project_id, kind, facts, created_at, read_at,
  jsonb_build_object('type', resource_type, 'id', resource_id, 'name', resource_name) AS resource`);

function onWire<R extends { created_at: Date; read_at: Date | null }>(row: R) {
  return { ...row, created_at: row.created_at.toISOString(), read_at: row.read_at?.toISOString() ?? null };
}

/** The caller's own: in the back office incidents, elsewhere everything else. */
const own = ({ caller }: AccountCall): Sql =>
  sql`user_id = ${caller.user_id}::uuid AND ${raw(caller.kind === 'administrator' ? "kind = 'incident'" : "kind <> 'incident'")}`;

const list = {
  columns,
  from: raw('notifications'),
  sort: { created_at: { column: 'created_at', type: 'timestamptz' } },
} as const;
const unread = oneOf({ true: 'read_at IS NULL', false: 'read_at IS NOT NULL' });

/** What the caller is notified of in all their projects, newest first. */
export const listNotifications = listOf({
  ...list,
  query: notificationQuery,
  where: (call: PersonCall) => own(call),
  filters: { unread, kind: equals('kind'), project_id: equalsId('project_id') },
  view: (row: Row<Notification>): Notification => onWire(row),
});

/** Incidents that the administrator is notified of, newest first. */
export const listIncidentNotifications = listOf({
  ...list,
  query: incidentNotificationQuery,
  where: (call: AdministratorCall) => own(call),
  filters: { unread },
  view: (row: Row<IncidentNotification>): IncidentNotification => onWire(row),
});

/** How many the caller has not read. */
export async function countUnread(call: AccountCall): Promise<{ unread: number }> {
  return queryRow(sql`SELECT count(*)::int AS unread FROM notifications WHERE ${own(call)} AND read_at IS NULL`);
}

/** Marks one as read; nothing changes for one that was read before. @throws ApiError 404 */
export async function markRead(call: AccountCall, id: string): Promise<void> {
  const found = await queryOne(sql`SELECT FROM notifications WHERE id = ${id}::uuid AND ${own(call)}`);
  if (!found) throw notFound('The notification', '');
  await mark(call, sql`notifications.id = ${id}::uuid`);
}

/** Marks all as read that the caller has. */
export async function markAllRead(call: AccountCall): Promise<void> {
  await mark(call, raw('true'));
}

async function mark(call: AccountCall, which: Sql): Promise<void> {
  await commit(call, {
    ...ofCaller(call),
    rows: {
      read: sql`UPDATE notifications SET read_at = ${call.at}::timestamptz FROM verdict
        WHERE verdict.ok AND ${own(call)} AND notifications.read_at IS NULL AND ${which}`,
    },
    answer: { status: 204, body: undefined },
  });
}

/** A change of the caller's own account, with a hint for their other open pages. */
const ofCaller = ({ caller }: AccountCall) => ({
  resource: { type: 'user', id: caller.user_id, name: caller.email },
  topic: 'notification',
  project_id: null,
});

/** What the caller is not notified of. */
export async function readPreferences({ caller }: PersonCall): Promise<Preferences> {
  const row = await queryOne<Preferences>(
    sql`SELECT muted FROM notification_preferences WHERE user_id = ${caller.user_id}::uuid`,
  );
  return row ?? { muted: [] };
}

/** Sets what the caller is not notified of from now on. */
export async function setPreferences(call: PersonCall, { muted }: Preferences): Promise<Preferences> {
  const kinds = [...new Set(muted)];
  await commit(call, {
    ...ofCaller(call),
    rows: {
      preferences: sql`INSERT INTO notification_preferences (user_id, muted)
        SELECT ${call.caller.user_id}::uuid, ${kinds}::text[] FROM verdict WHERE verdict.ok
        ON CONFLICT (user_id) DO UPDATE SET muted = excluded.muted`,
    },
    details: { muted: kinds },
    answer: { status: 200, body: { muted: kinds } },
  });
  return { muted: kinds };
}

/** Notifications are kept for four months. */
export const notificationPurge = purge(
  'notifications',
  60 * 60_000,
  "created_at < (SELECT platform_now()) - interval '120 days'",
);
