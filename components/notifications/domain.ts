import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { adminPaths, paths } from '@/lib/paths';

export const notifications: ResourceKind = {
  label: 'Notifications',
  noun: 'notification',
  icon: kindIcon('bell'),
  href: paths.notifications,
};

/** The same in the back office: incidents. */
export const incidentNotifications: ResourceKind = { ...notifications, href: adminPaths.notifications };
