'use client';

import { Download, Folder, History, Trash2 } from 'lucide-react';
import { Size } from '@/components/kit/data/amounts';
import { Time } from '@/components/kit/data/time';
import { type Action, ActionMenu } from '@/components/kit/table/row-actions';
import { Badge } from '@/components/kit/ui/badge';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { type Bucket, type Entry, fileName, inPath, type StoredObject } from './types';
import { useReread } from './use-objects';

interface VersionListProps {
  bucket: Bucket;
  prefix: string;
  entries: readonly Entry[];
  onOpenFolder: (prefix: string) => void;
}

/** All versions and delete markers of a folder, the newest of each key first. */
export function VersionList({ bucket, prefix, entries, onOpenFolder }: VersionListProps) {
  const actionsOf = useVersionActions(bucket);
  return (
    <section aria-label={`Versions in ${bucket.name}/${prefix}`} className="rounded-lg border bg-surface">
      {prefix !== '' && (
        <button
          type="button"
          className="px-4 py-2 text-accent text-sm"
          onClick={() => onOpenFolder(prefix.replace(/[^/]+\/$/, ''))}
        >
          Up from {prefix}
        </button>
      )}
      {entries.length === 0 && (
        <p className="px-4 py-10 text-center text-ink-muted text-sm">There are no versions here</p>
      )}
      <ul className="divide-y">
        {entries.map((entry) =>
          'prefix' in entry ? (
            <li key={entry.prefix} className="px-4 py-2 text-sm">
              <button
                type="button"
                className="flex items-center gap-2.5 rounded-sm font-medium hover:text-accent"
                onClick={() => onOpenFolder(entry.prefix)}
              >
                <Folder className="size-4 text-accent" aria-hidden="true" />
                {entry.prefix.slice(prefix.length, -1)}
              </button>
            </li>
          ) : (
            <li key={`${entry.key} ${entry.version_id}`} className="flex items-center gap-3 px-4 py-2 text-sm">
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-center gap-2 wrap-anywhere">
                  {fileName(entry.key)}
                  {entry.latest && <Badge tone="accent">Latest</Badge>}
                  {entry.delete_marker && <Badge>Delete marker</Badge>}
                </span>
                <span className="block font-mono text-ink-muted text-xs wrap-anywhere">{entry.version_id}</span>
              </span>
              <span className="shrink-0 text-right text-ink-muted text-xs">
                {!entry.delete_marker && <Size bytes={entry.size_bytes} />}
                <span className="block">
                  <Time at={entry.last_modified} />
                </span>
              </span>
              <ActionMenu name={`${entry.key} ${entry.version_id}`} actions={actionsOf(entry)} />
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

function useVersionActions({ name }: Bucket): (version: StoredObject) => Action[] {
  const { api } = useProject();
  const refusal = useRefusal();
  const reread = useReread(name);
  const presign = api.useMutation('post', '/api/v1/storage/buckets/{name}/objects/presign');
  const copy = api.useMutation('post', '/api/v1/storage/buckets/{name}/objects/copy');
  const remove = api.useMutation('delete', '/api/v1/storage/buckets/{name}/objects/{key}');
  const params = { path: { name } };
  const onMarker = 'A delete marker has no content.';
  return ({ key, version_id = '', latest, delete_marker }) => [
    {
      label: 'Download',
      icon: Download,
      disabledReason: refusal('presignObject') ?? (delete_marker ? onMarker : undefined),
      onSelect: () =>
        void presign
          .mutateAsync({ params, body: { key, method: 'GET', expires_in: 300, download: true, version_id } })
          .then(({ url }) => window.location.assign(url)),
    },
    {
      label: 'Restore',
      icon: History,
      disabledReason:
        refusal('copyObject') ?? (delete_marker ? onMarker : latest ? 'This is the current version.' : undefined),
      onSelect: () => void copy.mutateAsync({ params, body: { source_key: key, key, version_id } }).then(reread),
    },
    {
      label: delete_marker ? 'Delete marker' : 'Delete version',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteObject'),
      confirmation: {
        title: delete_marker
          ? `Delete the delete marker of ${fileName(key)}?`
          : `Delete this version of ${fileName(key)}?`,
        consequence:
          delete_marker && latest ? 'The version before it is the object again.' : 'It can’t be brought back.',
        confirmLabel: delete_marker ? 'Delete marker' : 'Delete version',
        onConfirm: async () => {
          await remove.mutateAsync({ params: { path: { name, key: inPath(key) }, query: { version_id } } });
          await reread();
        },
      },
    },
  ];
}
