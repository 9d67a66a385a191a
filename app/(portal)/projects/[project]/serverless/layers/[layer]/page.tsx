'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { Badge } from '@/components/kit/ui/badge';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { layers } from '@/components/layers/domain';
import { useLayerActions } from '@/components/layers/layer-actions';
import { sharingOf } from '@/components/layers/types';
import { changeLayer, getLayer } from '@/lib/client/operations/layers';
import { useProject } from '@/lib/client/project';
import { formatBytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';

const skeleton = () => <Skeleton className="h-80 w-full rounded-lg" />;
const VersionsTab = lazyComponent(
  () => import('@/components/layers/versions-tab').then((module) => module.VersionsTab),
  skeleton,
);
const SharingTab = lazyComponent(
  () => import('@/components/layers/sharing-tab').then((module) => module.SharingTab),
  skeleton,
);

/** A layer: its versions, who may use it, activity. */
export default function LayerPage() {
  const { layer: id } = useParams<{ layer: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const actionsOf = useLayerActions({ onDeleted: () => router.push(paths.layers(project.slug)) });
  const params = { path: { id } };
  const query = api.useQuery('get', '/api/v1/layers/{id}', { params });
  const change = api.useMutation('patch', '/api/v1/layers/{id}');
  const isOwn = query.data?.is_own ?? false;
  return (
    <ResourcePage
      of={layers}
      query={query}
      get={getLayer}
      taggable={({ is_own }) => is_own}
      description={({ description }) => description}
      {...(isOwn && {
        rename: { operation: changeLayer, save: (name: string) => change.mutateAsync({ params, body: { name } }) },
      })}
      badge={(layer) =>
        layer.is_public ? (
          <Badge tone="caution">Public</Badge>
        ) : (
          <Badge>{layer.is_own ? 'Private' : 'Shared with this project'}</Badge>
        )
      }
      facts={(layer) => [
        ['Latest version', layer.latest_version ? String(layer.latest_version.version) : 'None yet'],
        ['Size', layer.latest_version ? formatBytes(layer.latest_version.size_bytes) : '–'],
        layer.is_own ? ['Used by', sharingOf(layer)] : ['Owner', layer.owner],
      ]}
      actions={actionsOf}
      tabs={(layer) => [
        { name: 'versions', label: 'Versions', content: () => <VersionsTab layer={layer} /> },
        ...(layer.is_own
          ? [{ name: 'sharing', label: 'Sharing', content: () => <SharingTab layer={layer} /> }, activityTab(id)]
          : []),
      ]}
    />
  );
}
