'use client';

import { PreferencesPage } from '@/components/notifications/preferences';
import { useBackOffice } from '@/lib/client/backoffice';
import { setIncidentNotificationPreferences } from '@/lib/client/operations/backoffice';

const kinds = ['incident'] as const;

/** Whether the administrator is notified of incidents. */
export default function NotificationPreferencesPage() {
  const { api } = useBackOffice();
  const save = api.useMutation('put', '/admin/api/v1/notifications/preferences');
  return (
    <PreferencesPage
      kinds={kinds}
      preferences={api.useQuery('get', '/admin/api/v1/notifications/preferences')}
      operation={setIncidentNotificationPreferences}
      save={(muted) => save.mutateAsync({ body: { muted } })}
      error={save.error}
    />
  );
}
