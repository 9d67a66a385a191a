'use client';

import Link from 'next/link';
import { Size } from '@/components/kit/data/amounts';
import { CodeBlock } from '@/components/kit/data/code-block';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { ImageBadge } from './image-badge';
import type { Image } from './image-look';

/** An image's details, its checksum and what uses it. */
export function ImageProperties({ image }: { image: Image }) {
  const { checksum_sha256, size_bytes, virtual_size_bytes, min_ram_mb, visibility } = image;
  return (
    <div className="grid items-start gap-5 *:min-w-0 lg:grid-cols-2">
      {image.status_reason && (
        <div
          role="status"
          className={`rounded-lg border p-4 text-sm lg:col-span-2 ${image.status === 'error' ? 'border-critical/35 bg-critical-soft' : 'border-caution/35 bg-caution-soft'}`}
        >
          <p className="font-medium">
            {image.status === 'error' ? 'This image is unusable' : 'This image is not ready yet'}
          </p>
          <p className="mt-0.5 text-pretty text-ink-muted">{image.status_reason}</p>
          {image.status === 'error' && (
            <p className="mt-1 text-pretty text-ink-muted">
              Delete the image and upload it again in its actual format. Images must not refer to other files.
            </p>
          )}
        </div>
      )}
      <Card title="Details">
        <PropertyList
          items={[
            ['Status', <ImageBadge key="status" image={image} />],
            ['Source', visibility === 'public' ? 'Certified catalogue, for all projects' : 'This project'],
            ['Description', image.description || undefined],
            ['Operating system', [image.os_distro, image.os_version].filter(Boolean).join(' ') || undefined],
            ['Default user', image.default_user ? <code key="user">{image.default_user}</code> : undefined],
            ['Format', image.format],
            ['Size', size_bytes === null ? 'Known once downloaded' : <Size key="size" bytes={size_bytes} />],
            [
              'Virtual disk size',
              virtual_size_bytes === null ? undefined : <Size key="virtual" bytes={virtual_size_bytes} />,
            ],
            ['Minimum disk', image.min_disk_gb > 0 ? <Size key="disk" gigabytes={image.min_disk_gb} /> : undefined],
            ['Minimum memory', min_ram_mb > 0 ? <Size key="ram" bytes={min_ram_mb * 1024 ** 2} /> : undefined],
            ['ID', <Id key="id" value={image.id} label="image ID" full />],
            [
              'Created',
              visibility === 'public' ? undefined : <Time key="created" at={image.created_at} form="exact" />,
            ],
          ]}
        />
      </Card>
      <div className="space-y-5">
        {checksum_sha256 && (
          <Card title="Checksum" description="SHA-256 of the uploaded file.">
            <CodeBlock code={checksum_sha256} label="checksum" />
            <p className="mt-2 text-pretty text-ink-muted text-xs">
              Compare with the output of <code>sha256sum FILE</code>.
            </p>
          </Card>
        )}
        <StandsOn image={image} />
      </div>
    </div>
  );
}

const SHOWN = 20;

/** The project's instances and volumes that were created from the image. */
function StandsOn({ image: { id, instance_count, volume_count } }: { image: Image }) {
  const { project } = useProject();
  const instances = useList('/api/v1/compute/instances', { image_id: id, limit: SHOWN });
  const volumes = useList('/api/v1/storage/volumes', { image_id: id, limit: SHOWN });
  const error = instances.error ?? volumes.error;
  if (error) return <ErrorNotice title="The users of this image could not be loaded" error={error} />;
  if (!instances.data || !volumes.data) return <Skeleton className="h-32 w-full rounded-lg" />;
  const rows = [
    ...instances.data.rows.map((row) => ({ ...row, kind: 'Instance', href: paths.instance(project.slug, row.id) })),
    ...volumes.data.rows.map((row) => ({ ...row, kind: 'Volume', href: paths.volume(project.slug, row.id) })),
  ];
  const more = instance_count + volume_count - rows.length;
  return (
    <Card title="Used by" description="The image cannot be deleted while it is in use.">
      {rows.length === 0 ? (
        <p className="text-ink-muted text-sm">Not used in this project.</p>
      ) : (
        <ul className="-my-2 divide-y text-sm">
          {rows.map(({ id: key, kind, name, status, href }) => (
            <li key={key} className="flex items-center justify-between gap-4 py-2">
              <span className="min-w-0 truncate">
                <span className="text-ink-muted">{kind}</span>{' '}
                <Link href={href} className="font-medium hover:underline">
                  {name}
                </Link>
              </span>
              <StatusBadge status={status} />
            </li>
          ))}
          {more > 0 && <li className="py-2 text-ink-muted">and {more} more</li>}
        </ul>
      )}
    </Card>
  );
}
