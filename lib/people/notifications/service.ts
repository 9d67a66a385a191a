import type { AdministratorCall, PersonCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { equals, equalsId, listOf, oneOf } from '@/lib/core/api/list';
import { queryOne, queryRow } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { purge } from '@/lib/core/operations/purge';
import { commit } from '@/lib/core/quota/commit';
import {
  type IncidentNotification,
  type IncidentPreferences,
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

/** Kinds of the caller's realm: incidents in the back office, everything else elsewhere. */
const ofRealm = ({ caller }: AccountCall): Sql =>
  raw(caller.kind === 'administrator' ? "kind = 'incident'" : "kind <> 'incident'");

/** The caller's own notifications. */
const own = (call: AccountCall): Sql => sql`user_id = ${call.caller.user_id}::uuid AND ${ofRealm(call)}`;

const list = {
  columns,
  from: raw('notifications'),
  sort: { created_at: { column: 'created_at', type: 'timestamptz' } },
} as const;
const unread = oneOf({ true: 'read_at IS NULL', false: 'read_at IS NOT NULL' });

/** The caller's notifications from all their projects, newest first. */
export const listNotifications = listOf({
  ...list,
  query: notificationQuery,
  where: (call: PersonCall) => own(call),
  filters: { unread, kind: equals('kind'), project_id: equalsId('project_id') },
  view: (row: Row<Notification>): Notification => onWire(row),
});

/** The administrator's notifications of incidents, newest first. */
export const listIncidentNotifications = listOf({
  ...list,
  query: incidentNotificationQuery,
  where: (call: AdministratorCall) => own(call),
  filters: { unread },
  view: (row: Row<IncidentNotification>): IncidentNotification => onWire(row),
});

/** The number of the caller's unread notifications. */
export async function countUnread(call: AccountCall): Promise<{ unread: number }> {
  return queryRow(sql`SELECT count(*)::int AS unread FROM notifications WHERE ${own(call)} AND read_at IS NULL`);
}

/** Marks a notification as read; has no effect if it was read before. @throws ApiError 404 */
export async function markRead(call: AccountCall, id: string): Promise<void> {
  const found = await queryOne(sql`SELECT FROM notifications WHERE id = ${id}::uuid AND ${own(call)}`);
  if (!found) throw notFound('The notification', '');
  await mark(call, sql`notifications.id = ${id}::uuid`);
}

/** Marks all of the caller's notifications as read. */
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

/** Scope of a change to the caller's own account, with a hint for their other open pages. */
const ofCaller = ({ caller }: AccountCall) => ({
  resource: { type: 'user', id: caller.user_id, name: caller.email },
  topic: 'notification',
  project_id: null,
});

/** Reads and sets the kinds that the caller has muted in a realm. The kinds of the other realm stay as they are. */
const preferencesIn = <Call extends AccountCall, Shown extends { muted: string[] }>() => ({
  read: async (call: Call): Promise<Shown> =>
    queryRow<Shown>(sql`SELECT ARRAY(SELECT kind FROM notification_preferences, unnest(muted) AS kind
      WHERE user_id = ${call.caller.user_id}::uuid AND ${ofRealm(call)}) AS muted`),
  set: async (call: Call, wanted: Shown): Promise<Shown> => {
    const preferences = { ...wanted, muted: [...new Set(wanted.muted)] };
    await commit(call, {
      ...ofCaller(call),
      rows: {
        preferences: sql`INSERT INTO notification_preferences AS p (user_id, muted)
          SELECT ${call.caller.user_id}::uuid, ${preferences.muted}::text[] FROM verdict WHERE verdict.ok
          ON CONFLICT (user_id) DO UPDATE
          SET muted = ARRAY(SELECT kind FROM unnest(p.muted) AS kind WHERE NOT (${ofRealm(call)})) || excluded.muted`,
      },
      details: preferences,
      answer: { status: 200, body: preferences },
    });
    return preferences;
  },
});

export const preferences = preferencesIn<PersonCall, Preferences>();
export const incidentPreferences = preferencesIn<AdministratorCall, IncidentPreferences>();

/** Notifications are kept for four months. */
export const notificationPurge = purge(
  'notifications',
  60 * 60_000,
  "created_at < (SELECT platform_now()) - interval '120 days'",
);
