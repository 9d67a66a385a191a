'use client';

import Link from 'next/link';
import { Size } from '@/components/kit/data/amounts';
import { CodeBlock } from '@/components/kit/data/code-block';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { Volume } from './storage-can';

/** A volume's details and its attachment. */
export function VolumeProperties({ volume }: { volume: Volume }) {
  const { project, api } = useProject();
  const [attachment] = volume.attachments;
  const image = api.useQuery(
    'get',
    '/api/v1/images/images/{id}',
    { params: { path: { id: volume.image_id ?? '' } } },
    { enabled: volume.image_id !== null },
  );
  const snapshot = api.useQuery(
    'get',
    '/api/v1/storage/snapshots/{id}',
    { params: { path: { id: volume.snapshot_id ?? '' } } },
    { enabled: volume.snapshot_id !== null },
  );
  const beginning = volume.image_id ? (
    <Link href={paths.image(project.slug, volume.image_id)} className="hover:underline">
      Image {image.data?.name}
    </Link>
  ) : volume.snapshot_id ? (
    <>
      Snapshot {snapshot.data?.name}
      {snapshot.data && <span className="text-ink-muted">of {snapshot.data.volume_name}</span>}
    </>
  ) : (
    'Empty'
  );
  return (
    <div className="grid items-start gap-5 *:min-w-0 lg:grid-cols-2">
      {volume.status === 'error' && (
        <div role="status" className="rounded-lg border border-critical/35 bg-critical-soft p-4 text-sm lg:col-span-2">
          <p className="font-medium">The volume has failed</p>
          <p className="mt-0.5 text-pretty text-ink-muted">{volume.status_reason}</p>
        </div>
      )}
      <Card title="Details">
        <PropertyList
          items={[
            ['Status', <StatusBadge key="status" status={volume.status} />],
            ['Reason', volume.status === 'error' ? undefined : (volume.status_reason ?? undefined)],
            ['Description', volume.description || undefined],
            ['Size', <Size key="size" gigabytes={volume.size_gb} />],
            ['Source', beginning],
            ['Snapshots', volume.snapshot_count],
            ['ID', <Id key="id" value={volume.id} label="volume ID" full />],
            ['Created', <Time key="created" at={volume.created_at} form="exact" />],
          ]}
        />
      </Card>
      <Card title="Attachment" description={attachment ? undefined : 'Not attached to an instance.'}>
        {attachment ? (
          <div className="space-y-5">
            <PropertyList
              items={[
                [
                  'Instance',
                  <Link
                    key="instance"
                    href={paths.instance(project.slug, attachment.instance_id, 'volumes')}
                    className="font-medium hover:underline"
                  >
                    {attachment.instance_name}
                  </Link>,
                ],
                ['Attached', <Time key="since" at={attachment.attached_at} form="exact" />],
              ]}
            />
            <div>
              <p className="mb-1.5 text-pretty text-ink-muted text-xs">
                In the guest, the disk’s serial number is the start of the volume ID:
              </p>
              <CodeBlock code={`lsblk -o NAME,SIZE,SERIAL | grep ${volume.id.slice(0, 20)}`} label="command" />
            </div>
          </div>
        ) : (
          <p className="text-ink-muted text-sm">To attach it, choose Attach from Actions.</p>
        )}
      </Card>
    </div>
  );
}
