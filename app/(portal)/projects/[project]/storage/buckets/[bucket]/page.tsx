'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Badge } from '@/components/kit/ui/badge';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useBucketActions } from '@/components/objects/bucket-actions';
import { quotaOf, versioningLabel } from '@/components/objects/bucket-columns';
import { buckets } from '@/components/objects/domain';
import { readBucket } from '@/lib/client/operations/storage';
import { useProject } from '@/lib/client/project';
import { formatBytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';

const skeleton = () => <Skeleton className="h-80 w-full rounded-lg" />;
const ObjectsTab = lazyComponent(
  () => import('@/components/objects/objects-tab').then((module) => module.ObjectsTab),
  skeleton,
);
const SettingsTab = lazyComponent(
  () => import('@/components/objects/settings-tab').then((module) => module.SettingsTab),
  skeleton,
);

/** A bucket: its objects, settings and activity. */
export default function BucketPage() {
  const { bucket: name } = useParams<{ bucket: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const actionsOf = useBucketActions({ onDeleted: () => router.push(paths.buckets(project.slug)) });
  const query = api.useQuery('get', '/api/v1/storage/buckets/{name}', { params: { path: { name } } });
  return (
    <ResourcePage
      of={buckets}
      query={query}
      get={readBucket}
      badge={({ acl, public_write }) =>
        public_write ? (
          <Badge tone="critical">Everyone may write</Badge>
        ) : acl === 'public-read' ? (
          <Badge tone="caution">Public</Badge>
        ) : (
          <Badge>Private</Badge>
        )
      }
      facts={(bucket) => [
        ['Objects', bucket.objects.toLocaleString('en')],
        ['Size', formatBytes(bucket.used_bytes)],
        ['Quota', quotaOf(bucket)],
        ['Old versions', bucket.object_lock ? 'Kept, with object lock' : versioningLabel[bucket.versioning]],
      ]}
      actions={actionsOf}
      tabs={(bucket) => [
        { name: 'objects', label: 'Objects', content: () => <ObjectsTab bucket={bucket} /> },
        { name: 'settings', label: 'Settings', content: () => <SettingsTab bucket={bucket} reread={query.refetch} /> },
        activityTab(bucket.id),
      ]}
    />
  );
}
