'use client';

import { NotificationList } from '@/components/notifications/notification-list';

/** The person's notifications from all their projects. */
export default function NotificationsPage() {
  return <NotificationList />;
}
