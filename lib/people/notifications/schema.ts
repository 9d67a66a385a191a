import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id, timestamp } from '@/lib/core/api/schemas';

const resource = z
  .strictObject({ type: z.string(), id, name: z.string().nullable() })
  .meta({ description: 'What it is about.' });
const common = {
  id: z.uuid(),
  project_id: id.nullable().meta({ description: 'null for incidents.' }),
  resource,
  created_at: timestamp,
  read_at: timestamp.nullable().meta({ description: 'null while it is unread.' }),
};

/** Fields that depend on the kind of notification. */
const facts = {
  budget_threshold: z.strictObject({
    month: z.string().meta({ example: '2026-03' }),
    threshold_percent: z.int(),
    limit_usd: z.string().meta({ example: '250' }),
    frozen: z.boolean(),
  }),
  operation_failed: z.strictObject({
    operation: z.string().meta({ example: 'instance.create' }),
    reason: z.string().nullable(),
  }),
  certificate_ending: z.strictObject({ expires_at: timestamp }),
  log_lines_dropped: z.strictObject({ day: z.string().meta({ example: '2026-03-01' }) }),
  invitation: z.strictObject({ invited_by: z.string().nullable() }),
  incident: z.strictObject({ reason: z.string(), tenant_id: id.nullable() }),
};
const of = <Kind extends keyof typeof facts>(kind: Kind) =>
  z.strictObject({ ...common, kind: z.literal(kind), facts: facts[kind] });

export const notification = z
  .union([
    of('budget_threshold'),
    of('operation_failed'),
    of('certificate_ending'),
    of('log_lines_dropped'),
    of('invitation'),
  ])
  .meta({ id: 'Notification' });
export const incidentNotification = of('incident').meta({ id: 'IncidentNotification' });
export type Notification = z.output<typeof notification>;
export type IncidentNotification = z.output<typeof incidentNotification>;

const kinds = [
  'budget_threshold',
  'operation_failed',
  'certificate_ending',
  'log_lines_dropped',
  'invitation',
] as const;
const unread = z.enum(['true', 'false']).optional();
export const notificationQuery = listQuery({ unread, kind: z.enum(kinds).optional(), project_id: id.optional() });
export const incidentNotificationQuery = listQuery({ unread });

export const unreadCount = z.strictObject({ unread: z.int() }).meta({ id: 'UnreadNotifications' });
export const markRead = z.strictObject({}).meta({ id: 'MarkNotificationsRead', example: {} });
const muted = <Kind extends string>(of: readonly [Kind, ...Kind[]]) =>
  z.strictObject({
    muted: z.array(z.enum(of)).max(of.length).meta({ description: 'Kinds that no notification is created for.' }),
  });
export const preferences = muted(kinds).meta({
  id: 'NotificationPreferences',
  example: { muted: ['budget_threshold'] },
});
export const incidentPreferences = muted(['incident']).meta({
  id: 'IncidentNotificationPreferences',
  example: { muted: ['incident'] },
});
export type Preferences = z.output<typeof preferences>;
export type IncidentPreferences = z.output<typeof incidentPreferences>;
