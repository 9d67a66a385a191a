'use client';

import { useParams, useRouter } from 'next/navigation';
import { activityTab } from '@/components/audit/activity-tab';
import { images } from '@/components/images/domain';
import { useImageActions } from '@/components/images/image-actions';
import { ImageBadge } from '@/components/images/image-badge';
import { whyNotUse } from '@/components/images/image-can';
import { ImageProperties } from '@/components/images/image-properties';
import { Size } from '@/components/kit/data/amounts';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { ResourcePage } from '@/components/kit/resource/resource-page';
import { ButtonLink } from '@/components/kit/ui/button';
import { useMay } from '@/lib/client/may';
import { getImage } from '@/lib/client/operations/images';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** One image. */
export default function ImagePage() {
  const { image: id } = useParams<{ image: string }>();
  const { project, api } = useProject();
  const router = useRouter();
  const may = useMay('createInstance');
  const actionsOf = useImageActions({ onDeleted: () => router.push(paths.images(project.slug)) });
  const query = api.useQuery('get', '/api/v1/images/images/{id}', { params: { path: { id } } });
  return (
    <ResourcePage
      of={images}
      query={query}
      get={getImage}
      taggable={({ visibility }) => visibility === 'private'}
      badge={(image) => <ImageBadge image={image} />}
      actions={actionsOf}
      buttons={(image) => (
        <DisabledReason reason={may.reason ?? whyNotUse(image)}>
          <ButtonLink variant="primary" href={paths.newInstance(project.slug, { image_id: id })}>
            Create instance
          </ButtonLink>
        </DisabledReason>
      )}
      facts={({ visibility, size_bytes, default_user }) => [
        ['Source', visibility === 'public' ? 'Certified catalogue' : 'This project'],
        ...(size_bytes === null ? [] : [['Size', <Size key="size" bytes={size_bytes} />] as const]),
        ...(default_user ? [['Default user', default_user] as const] : []),
      ]}
      tabs={(image) => [
        { name: 'overview', label: 'Overview', content: () => <ImageProperties image={image} /> },
        activityTab(id),
      ]}
    />
  );
}
