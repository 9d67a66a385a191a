'use client';

import { useParams, useRouter } from 'next/navigation';
import { useImageActions } from '@/components/images/image-actions';
import { ImageBadge } from '@/components/images/image-badge';
import { whyNotUse } from '@/components/images/image-can';
import type { Image } from '@/components/images/image-look';
import { ImageProperties } from '@/components/images/image-properties';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { ActionMenu } from '@/components/kit/table/row-actions';
import { ButtonLink } from '@/components/kit/ui/button';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** One image. */
export default function ImagePage() {
  const { image: id } = useParams<{ image: string }>();
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/images/images/{id}', { params: { path: { id } } });
  return (
    <Page
      title={query.data?.name ?? 'Image'}
      badge={query.data && <ImageBadge image={query.data} />}
      actions={query.data && <ImageButtons image={query.data} />}
    >
      <Loaded query={query} what="The image" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
        {(image) => <ImageProperties image={image} />}
      </Loaded>
    </Page>
  );
}

function ImageButtons({ image }: { image: Image }) {
  const { project } = useProject();
  const router = useRouter();
  const may = useMay('createInstance');
  const actionsOf = useImageActions({ onDeleted: () => router.push(paths.images(project.slug)) });
  return (
    <>
      <ActionMenu name={image.name} actions={actionsOf(image)} labelled />
      <DisabledReason reason={may.reason ?? whyNotUse(image)}>
        <ButtonLink variant="primary" href={paths.newInstance(project.slug, { image_id: image.id })}>
          Create instance
        </ButtonLink>
      </DisabledReason>
    </>
  );
}
