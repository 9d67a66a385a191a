import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from './schema';
import * as service from './service';

const own = { tag: 'Notifications', access: 'person' } as const;
const office = { realm: 'backoffice', tag: 'Back office: notifications', access: 'administrator' } as const;

/** Count and mark as read, for tenants' users and for administrators. `name` becomes part of the operation ids. */
const readState = <Common extends typeof own | typeof office>(common: Common, name: string) => [
  endpoint({
    ...common,
    method: 'GET',
    path: '/notifications/unread-count',
    operation_id: `countUnread${name}s`,
    summary: 'Count your unread notifications',
    responses: { 200: schema.unreadCount },
    handle: (call) => service.countUnread(call),
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/notifications/read-all',
    operation_id: `markAll${name}sRead`,
    summary: 'Mark all your notifications as read',
    body: schema.markRead,
    responses: { 204: null },
    audit: 'notification.read_all',
    idempotency: 'none',
    handle: (call) => service.markAllRead(call),
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/notifications/{id}/read',
    operation_id: `mark${name}Read`,
    summary: 'Mark a notification as read',
    params: idParams,
    body: schema.markRead,
    responses: { 204: null },
    audit: 'notification.read',
    idempotency: 'none',
    handle: (call, { params }) => service.markRead(call, params.id),
  }),
];

/** A user's notifications across all their projects. */
export const notificationEndpoints = [
  endpoint({
    ...own,
    method: 'GET',
    path: '/notifications',
    operation_id: 'listNotifications',
    summary: 'List your notifications',
    description:
      'Budget thresholds, failed operations, certificates that expire within 30 days, and invitations, in all your projects. ' +
      'Newest first; kept for 120 days. A new one sends a `notification` hint to your event stream.',
    query: schema.notificationQuery,
    responses: { 200: z.array(schema.notification) },
    handle: (call, { query }) => service.listNotifications(call, query),
  }),
  ...readState(own, 'Notification'),
  endpoint({
    ...own,
    method: 'GET',
    path: '/notifications/preferences',
    operation_id: 'readNotificationPreferences',
    summary: 'Read your notification preferences',
    responses: { 200: schema.preferences },
    handle: (call) => service.preferences.read(call),
  }),
  endpoint({
    ...own,
    method: 'PUT',
    path: '/notifications/preferences',
    operation_id: 'setNotificationPreferences',
    summary: 'Set your notification preferences',
    description: 'Applies to all your projects, from now on.',
    body: schema.preferences,
    responses: { 200: schema.preferences },
    audit: 'notification.set_preferences',
    handle: (call, { body }) => service.preferences.set(call, body),
  }),
];

/** Incidents that an administrator has not read. */
export const platformNotificationEndpoints = [
  endpoint({
    ...office,
    method: 'GET',
    path: '/notifications',
    operation_id: 'listIncidentNotifications',
    summary: 'List your notifications of incidents',
    description: 'Newest first; kept for 120 days.',
    query: schema.incidentNotificationQuery,
    responses: { 200: z.array(schema.incidentNotification) },
    handle: (call, { query }) => service.listIncidentNotifications(call, query),
  }),
  ...readState(office, 'IncidentNotification'),
  endpoint({
    ...office,
    method: 'GET',
    path: '/notifications/preferences',
    operation_id: 'readIncidentNotificationPreferences',
    summary: 'Read your preferences for notifications of incidents',
    responses: { 200: schema.incidentPreferences },
    handle: (call) => service.incidentPreferences.read(call),
  }),
  endpoint({
    ...office,
    method: 'PUT',
    path: '/notifications/preferences',
    operation_id: 'setIncidentNotificationPreferences',
    summary: 'Set your preferences for notifications of incidents',
    description: 'Applies from now on. The incidents themselves are listed as before.',
    body: schema.incidentPreferences,
    responses: { 200: schema.incidentPreferences },
    audit: 'notification.set_preferences',
    handle: (call, { body }) => service.incidentPreferences.set(call, body),
  }),
];
