'use client';

import { PreferencesPage } from '@/components/notifications/preferences';
import { listNotifications, setNotificationPreferences } from '@/lib/client/operations/notifications';
import { useProject } from '@/lib/client/project';

/** What the person is notified of, in all their projects. */
export default function NotificationPreferencesPage() {
  const { api } = useProject();
  const save = api.useMutation('put', '/api/v1/notifications/preferences');
  return (
    <PreferencesPage
      kinds={listNotifications.filters.kind}
      preferences={api.useQuery('get', '/api/v1/notifications/preferences')}
      operation={setNotificationPreferences}
      save={(muted) => save.mutateAsync({ body: { muted } })}
      error={save.error}
    />
  );
}
