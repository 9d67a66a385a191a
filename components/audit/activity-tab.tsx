import type { PageTab } from '@/components/kit/page/address-tabs';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';

const ResourceHistory = lazyComponent(
  () => import('./resource-history').then((module) => module.ResourceHistory),
  () => <Skeleton className="h-80 w-full rounded-lg" />,
);

/** The last tab of a resource's page: its operations and what people did with it. */
export function activityTab(id: string): PageTab {
  return { name: 'activity', label: 'Activity', content: () => <ResourceHistory id={id} /> };
}
