'use client';

import { useRealm } from '@/components/kit/page/place';
import { useList } from '@/lib/client/list';
import { listIncidentNotifications } from '@/lib/client/operations/backoffice';
import { listNotifications } from '@/lib/client/operations/notifications';
import { useProjectIfAny, useProjects } from '@/lib/client/project';
import { useApi } from '@/lib/client/scope';
import { adminPaths, paths } from '@/lib/paths';
import { incidentNotifications, notifications } from './domain';
import { type Notification, type NotificationWords, wordsOf } from './words';

const realms = {
  portal: {
    kind: notifications,
    list: listNotifications,
    count: '/api/v1/notifications/unread-count',
    preferences: paths.notificationPreferences,
  },
  backoffice: {
    kind: incidentNotifications,
    list: listIncidentNotifications,
    count: '/admin/api/v1/notifications/unread-count',
    preferences: adminPaths.notificationPreferences,
  },
} as const;

/** Notifications of this realm: their list and pages. */
export function useNotificationKind() {
  return realms[useRealm()];
}

/** How many the person has not read; undefined until it is known. Read again when the event stream says so. */
export function useUnreadCount(): number | undefined {
  const { api } = useApi();
  return api.useQuery('get', useNotificationKind().count).data?.unread;
}

/** The newest ones. */
export function useLatestNotifications(limit: number) {
  return useList<(typeof realms)['portal' | 'backoffice']['list']['path']>(useNotificationKind().list.path, { limit });
}

/** Marks one, or all, as read. */
export function useMarkRead() {
  const { api } = useApi();
  const one = api.useMutation('post', '/api/v1/notifications/{id}/read');
  const incident = api.useMutation('post', '/admin/api/v1/notifications/{id}/read');
  const all = api.useMutation('post', '/api/v1/notifications/read-all');
  const incidents = api.useMutation('post', '/admin/api/v1/notifications/read-all');
  const office = useRealm() === 'backoffice';
  return {
    markRead: (id: string) => (office ? incident : one).mutateAsync({ params: { path: { id } }, body: {} }),
    markAllRead: () => (office ? incidents : all).mutateAsync({ body: {} }),
    pending: all.isPending || incidents.isPending,
    error: all.error ?? incidents.error,
  };
}

/** The words of notifications, and the name of the project that each is from. */
export function useNotificationWords(): (notification: Notification) => NotificationWords & { project?: string } {
  const here = useProjectIfAny();
  const projects = useProjects();
  return (notification) => {
    const project = projects.find(({ id }) => id === notification.project_id);
    return { ...wordsOf(notification, (project ?? here)?.slug ?? ''), ...(project && { project: project.name }) };
  };
}
