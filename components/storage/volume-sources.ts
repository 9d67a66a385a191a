'use client';

import type { Option } from '@/components/kit/ui/option';
import { useList } from '@/lib/client/list';
import { formatGigabytes } from '@/lib/format/size';
import { whyNotRestore } from './storage-can';

export type SourceKind = 'empty' | 'image' | 'snapshot';

/** Sources of a new volume. */
export interface VolumeSources {
  images: Option[];
  snapshots: Option[];
  /** Minimum size in GB for a source, if it has one. */
  least: (source: { kind: SourceKind; id: string }) => number | undefined;
}

/** The API's most in one answer. */
const MOST = 200;

/** The project's images and snapshots, as choices. */
export function useVolumeSources(): { data: VolumeSources | undefined; error: unknown; retry: () => void } {
  const images = useList('/api/v1/images/images', { limit: MOST, sort: 'name' });
  const snapshots = useList('/api/v1/storage/snapshots', { limit: MOST, sort: 'name' });
  const usable = images.data?.rows.filter(({ status, format }) => !ended.has(status) && format !== 'ISO');
  const frozen = snapshots.data?.rows;
  return {
    data: usable &&
      frozen && {
        images: usable.map(({ id, name, min_disk_gb, status }) => ({
          value: id,
          label: name,
          description:
            status === 'active'
              ? `At least ${formatGigabytes(Math.max(1, min_disk_gb))}`
              : 'Not downloaded yet. The volume waits for it.',
        })),
        snapshots: frozen.map((snapshot) => {
          const reason = whyNotRestore(snapshot);
          return {
            value: snapshot.id,
            label: snapshot.name,
            description: `Of ${snapshot.volume_name} · ${formatGigabytes(snapshot.size_gb)}`,
            ...(reason === undefined ? {} : { disabledReason: reason }),
          };
        }),
        least: ({ kind, id }) => {
          if (kind === 'image') return usable.find((image) => image.id === id)?.min_disk_gb || undefined;
          return kind === 'snapshot' ? frozen.find((snapshot) => snapshot.id === id)?.size_gb : undefined;
        },
      },
    error: (images.data ? null : images.error) ?? (snapshots.data ? null : snapshots.error),
    retry: () => {
      for (const query of [images, snapshots]) if (query.error) void query.refetch();
    },
  };
}

const ended = new Set(['error', 'deleting']);
