'use client';

import { NotificationList } from '@/components/notifications/notification-list';

/** The incidents that the administrator is notified of. */
export default function NotificationsPage() {
  return <NotificationList />;
}
