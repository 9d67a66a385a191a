'use client';

import { X } from 'lucide-react';
import { Size } from '@/components/kit/data/amounts';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { Button } from '@/components/kit/ui/button';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { useObjectUploads } from './uploads';

/** Multipart uploads that were begun and not finished, by any page or client. */
export function Unfinished({ bucket }: { bucket: string }) {
  const { api } = useProject();
  const { allowed } = useMay('cancelObjectUpload');
  const confirm = useConfirm();
  const underWay = useObjectUploads().filter(
    (upload) => upload.bucket === bucket && upload.upload.progress.state !== 'done',
  );
  const list = api.useQuery('get', '/api/v1/storage/buckets/{name}/uploads', { params: { path: { name: bucket } } });
  const cancel = api.useMutation('delete', '/api/v1/storage/buckets/{name}/uploads/{id}');
  const left = (list.data ?? []).filter(({ key }) => !underWay.some((upload) => upload.key === key));
  if (left.length === 0) return null;
  return (
    <section aria-label="Unfinished uploads" className="rounded-lg border bg-surface">
      <header className="border-b px-4 py-2">
        <h2 className="font-medium text-sm">Unfinished uploads</h2>
        <p className="text-ink-muted text-xs">
          Their parts are stored and billed. Choose the same file again to go on where an upload stopped.
        </p>
      </header>
      <ul className="max-h-60 divide-y overflow-y-auto">
        {left.map(({ upload_id, key, size_bytes, created_at }) => (
          <li key={upload_id} className="flex items-center gap-3 px-4 py-2 text-sm">
            <span className="min-w-0 flex-1 wrap-anywhere">{key}</span>
            {size_bytes !== null && (
              <span className="text-ink-muted text-xs">
                <Size bytes={size_bytes} />
              </span>
            )}
            <span className="text-ink-muted text-xs max-sm:hidden">
              <Time at={created_at} />
            </span>
            {allowed && (
              <Button
                variant="quiet"
                size="icon-sm"
                aria-label={`Cancel the upload of ${key}`}
                onClick={() =>
                  confirm({
                    title: `Cancel the upload of ${key}?`,
                    consequence: 'The parts that have arrived are deleted.',
                    confirmLabel: 'Cancel upload',
                    onConfirm: async () => {
                      await cancel.mutateAsync({ params: { path: { name: bucket, id: upload_id } } });
                      await list.refetch();
                    },
                  })
                }
              >
                <X />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
