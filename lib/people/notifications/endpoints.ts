import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from './schema';
import * as service from './service';

const tag = 'Notifications';
const office = { realm: 'backoffice', tag: 'Back office: notifications', access: 'administrator' } as const;

/** What a person should know, in all their projects. */
export const notificationEndpoints = [
  endpoint({
    method: 'GET',
    path: '/notifications',
    operation_id: 'listNotifications',
    summary: 'List your notifications',
    description:
      'Budget thresholds, failed operations, certificates that expire within 30 days, and invitations, in all your projects. ' +
      'Newest first; kept for 120 days. A new one sends a `notification` hint to your event stream.',
    tag,
    access: 'person',
    query: schema.notificationQuery,
    responses: { 200: z.array(schema.notification) },
    handle: (call, { query }) => service.listNotifications(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/notifications/unread-count',
    operation_id: 'countUnreadNotifications',
    summary: 'Count your unread notifications',
    tag,
    access: 'person',
    responses: { 200: schema.unreadCount },
    handle: (call) => service.countUnread(call),
  }),
  endpoint({
    method: 'POST',
    path: '/notifications/read-all',
    operation_id: 'markAllNotificationsRead',
    summary: 'Mark all your notifications as read',
    tag,
    access: 'person',
    body: schema.markRead,
    responses: { 204: null },
    audit: 'notification.read_all',
    idempotency: 'none',
    handle: (call) => service.markAllRead(call),
  }),
  endpoint({
    method: 'POST',
    path: '/notifications/{id}/read',
    operation_id: 'markNotificationRead',
    summary: 'Mark a notification as read',
    tag,
    access: 'person',
    params: idParams,
    body: schema.markRead,
    responses: { 204: null },
    audit: 'notification.read',
    idempotency: 'none',
    handle: (call, { params }) => service.markRead(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: '/notifications/preferences',
    operation_id: 'readNotificationPreferences',
    summary: 'Read your notification preferences',
    tag,
    access: 'person',
    responses: { 200: schema.preferences },
    handle: (call) => service.readPreferences(call),
  }),
  endpoint({
    method: 'PUT',
    path: '/notifications/preferences',
    operation_id: 'setNotificationPreferences',
    summary: 'Set your notification preferences',
    description: 'Applies to all your projects, from now on.',
    tag,
    access: 'person',
    body: schema.preferences,
    responses: { 200: schema.preferences },
    audit: 'notification.set_preferences',
    handle: (call, { body }) => service.setPreferences(call, body),
  }),
];

/** Incidents, for each administrator until they have read them. */
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
  endpoint({
    ...office,
    method: 'GET',
    path: '/notifications/unread-count',
    operation_id: 'countUnreadIncidentNotifications',
    summary: 'Count your unread notifications',
    responses: { 200: schema.unreadCount },
    handle: (call) => service.countUnread(call),
  }),
  endpoint({
    ...office,
    method: 'POST',
    path: '/notifications/read-all',
    operation_id: 'markAllIncidentNotificationsRead',
    summary: 'Mark all your notifications as read',
    body: schema.markRead,
    responses: { 204: null },
    audit: 'notification.read_all',
    idempotency: 'none',
    handle: (call) => service.markAllRead(call),
  }),
  endpoint({
    ...office,
    method: 'POST',
    path: '/notifications/{id}/read',
    operation_id: 'markIncidentNotificationRead',
    summary: 'Mark a notification as read',
    params: idParams,
    body: schema.markRead,
    responses: { 204: null },
    audit: 'notification.read',
    idempotency: 'none',
    handle: (call, { params }) => service.markRead(call, params.id),
  }),
];
