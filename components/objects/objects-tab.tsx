'use client';

import { Trash2 } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { FileBrowser } from '@/components/kit/files/file-browser';
import type { FileEntry } from '@/components/kit/files/file-entries';
import { setAddress } from '@/components/kit/page/address';
import { useConfirm } from '@/components/kit/page/confirm';
import { Loaded } from '@/components/kit/page/loaded';
import { ActionMenu } from '@/components/kit/table/row-actions';
import { Button } from '@/components/kit/ui/button';
import { Checkbox } from '@/components/kit/ui/choice';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { DropZone } from '@/components/kit/upload/drop-zone';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import { type Opened, useObjectActions } from './object-actions';
import type { Bucket, Entry, StoredObject } from './types';
import { Unfinished } from './unfinished';
import { UploadPanel } from './upload-panel';
import { startUploads } from './uploads';
import { useObjects, useReread } from './use-objects';
import { VersionList } from './version-list';

const ObjectDialog = lazyComponent(() => import('./object-dialog').then((module) => module.ObjectDialog));

const isFolder = (entry: Entry): entry is Extract<Entry, { prefix: string }> => 'prefix' in entry;

const fileEntry = (entry: Entry): FileEntry =>
  isFolder(entry)
    ? { kind: 'folder', prefix: entry.prefix }
    : { kind: 'file', key: entry.key, size_bytes: entry.size_bytes, last_modified: entry.last_modified };

/** The folders and objects of a bucket, what is being sent to it, and what can be done with them. */
export function ObjectsTab({ bucket }: { bucket: Bucket }) {
  const { project, client } = useProject();
  const search = useSearchParams();
  const prefix = search.get('prefix') ?? '';
  const versions = search.get('versions') === 'true';
  const { allowed, reason } = useMay('beginObjectUpload');
  const reread = useReread(bucket.name);
  const list = useObjects(bucket.name, prefix, versions);
  const [opened, setOpened] = useState<Opened>();
  const openFolder = (next: string) => setAddress({ prefix: next === '' ? undefined : next }, 'push');
  return (
    <div className="space-y-5">
      {allowed ? (
        <DropZone
          label="Files"
          hint={prefix === '' ? 'Up to 5 TB each' : `Into ${prefix}`}
          onFiles={(files) =>
            startUploads(
              { client, projectId: project.id, bucket: bucket.name },
              files.map(({ path, file }) => ({ key: prefix + path, file })),
              () => void reread(),
            )
          }
        />
      ) : (
        <p className="text-ink-muted text-sm">{reason}</p>
      )}
      <UploadPanel projectId={project.id} bucket={bucket.name} />
      <Unfinished bucket={bucket.name} />
      {bucket.versioning !== 'off' && (
        <label htmlFor="old-versions" className="flex w-fit items-center gap-2 text-sm">
          <Checkbox
            id="old-versions"
            checked={versions}
            onChange={() => setAddress({ versions: versions ? undefined : 'true' })}
          />
          Show old versions
        </label>
      )}
      <Loaded query={list} what="The objects" skeleton={<Skeleton className="h-64 w-full rounded-lg" />}>
        {(entries) =>
          versions ? (
            <VersionList bucket={bucket} prefix={prefix} entries={entries} onOpenFolder={openFolder} />
          ) : (
            <Folder
              key={prefix}
              bucket={bucket}
              prefix={prefix}
              entries={entries}
              openFolder={openFolder}
              open={setOpened}
            />
          )
        }
      </Loaded>
      {list.hasNextPage && (
        <Button pending={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
      {opened && <ObjectDialog bucket={bucket} opened={opened} open={setOpened} close={() => setOpened(undefined)} />}
    </div>
  );
}

interface FolderProps {
  bucket: Bucket;
  prefix: string;
  entries: readonly Entry[];
  openFolder: (prefix: string) => void;
  open: (opened: Opened) => void;
}

function Folder({ bucket, prefix, entries, openFolder, open }: FolderProps) {
  const [selection, setSelection] = useState<Set<string>>(new Set());
  const actionsOf = useObjectActions(bucket, open);
  const byKey = new Map(entries.flatMap((entry) => (isFolder(entry) ? [] : [[entry.key, entry] as const])));
  const chosen = [...selection].filter(
    (id) => byKey.has(id) || entries.some((entry) => isFolder(entry) && entry.prefix === id),
  );
  return (
    <div className="space-y-3">
      <Selection bucket={bucket} chosen={chosen} byKey={byKey} clear={() => setSelection(new Set())} />
      <FileBrowser
        root={bucket.name}
        prefix={prefix}
        entries={entries.filter((entry) => isFolder(entry) || entry.key !== prefix).map(fileEntry)}
        onOpenFolder={openFolder}
        onOpenFile={(key) => open({ what: 'preview', key })}
        selection={selection}
        onSelection={setSelection}
        actions={(entry) => {
          const object = entry.kind === 'file' ? byKey.get(entry.key) : undefined;
          return object && <ActionMenu name={object.key} actions={actionsOf(object)} />;
        }}
      />
    </div>
  );
}

interface SelectionProps {
  bucket: Bucket;
  chosen: readonly string[];
  byKey: ReadonlyMap<string, StoredObject>;
  clear: () => void;
}

/** What can be done with several objects and folders. */
function Selection({ bucket, chosen, byKey, clear }: SelectionProps) {
  const { client } = useProject();
  const confirm = useConfirm();
  const reread = useReread(bucket.name);
  const { reason } = useMay('deleteObjects');
  if (chosen.length === 0) return null;
  const folders = chosen.filter((id) => !byKey.has(id));
  const files = chosen.length - folders.length;
  const parts = [
    ...(files > 0 ? [formatCount(files, 'object')] : []),
    ...(folders.length > 0 ? [formatCount(folders.length, 'folder')] : []),
  ].join(' and ');
  const remove = async () => {
    const keys = [...chosen.filter((id) => byKey.has(id))];
    for (const folder of folders) await deleteFolder(client, bucket.name, folder);
    for (let start = 0; start < keys.length; start += 1000)
      await client.POST('/api/v1/storage/buckets/{name}/objects/delete', {
        params: { path: { name: bucket.name } },
        body: { keys: keys.slice(start, start + 1000) },
      });
    clear();
    await reread();
  };
  return (
    <section
      aria-label="Selection"
      className="flex flex-wrap items-center gap-3 rounded-md border bg-accent-soft px-4 py-2 text-sm"
    >
      <span className="mr-auto">{parts} selected</span>
      <Button size="sm" variant="quiet" onClick={clear}>
        Clear
      </Button>
      <DisabledReason reason={reason}>
        <Button
          size="sm"
          variant="danger"
          disabled={reason !== undefined}
          onClick={() =>
            confirm({
              title: `Delete ${parts}?`,
              consequence:
                bucket.versioning === 'enabled'
                  ? 'They are hidden, with everything in the folders. Their versions stay until they are deleted.'
                  : 'They are deleted for good, with everything in the folders.',
              confirmLabel: 'Delete',
              onConfirm: remove,
            })
          }
        >
          <Trash2 />
          Delete
        </Button>
      </DisabledReason>
    </section>
  );
}

/** Deletes everything below a prefix, a thousand objects at a time. */
async function deleteFolder(
  client: ReturnType<typeof useProject>['client'],
  name: string,
  prefix: string,
): Promise<void> {
  const params = { path: { name } };
  for (;;) {
    const { data = [] } = await client.GET('/api/v1/storage/buckets/{name}/objects', {
      params: { ...params, query: { prefix, limit: 1000 } },
    });
    const keys = data.flatMap((entry) => ('key' in entry ? [entry.key] : []));
    if (keys.length === 0) return;
    await client.POST('/api/v1/storage/buckets/{name}/objects/delete', { params, body: { keys } });
  }
}
