import { Bell } from 'lucide-react';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { adminPaths, paths } from '@/lib/paths';

export const notifications: ResourceKind = {
  label: 'Notifications',
  noun: 'notification',
  icon: Bell,
  href: paths.notifications,
};

/** The same in the back office: incidents. */
export const incidentNotifications: ResourceKind = { ...notifications, href: adminPaths.notifications };
