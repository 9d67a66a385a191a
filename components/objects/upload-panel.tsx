'use client';

import { Button } from '@/components/kit/ui/button';
import { UploadRow } from '@/components/kit/upload/upload-row';
import { forgetDone, forgetUpload, useObjectUploads } from './uploads';

/** The uploads to a bucket of this browser tab. */
export function UploadPanel({ projectId, bucket }: { projectId: string; bucket: string }) {
  const uploads = useObjectUploads().filter((upload) => upload.projectId === projectId && upload.bucket === bucket);
  if (uploads.length === 0) return null;
  const done = uploads.filter(({ upload }) => upload.progress.state === 'done').length;
  return (
    <section aria-label="Uploads" className="rounded-lg border bg-surface">
      <header className="flex flex-wrap items-center justify-between gap-2 border-b px-4 py-2">
        <h2 className="font-medium text-sm" aria-live="polite">
          {done === uploads.length ? `${done} uploaded` : `${done} of ${uploads.length} uploaded`}
        </h2>
        {done > 0 && (
          <Button size="sm" variant="quiet" onClick={forgetDone}>
            Dismiss
          </Button>
        )}
      </header>
      <ul className="max-h-72 divide-y overflow-y-auto">
        {uploads.map(({ id, key, upload }) => (
          <UploadRow key={id} path={key} upload={upload} onRemove={() => forgetUpload(id)} />
        ))}
      </ul>
    </section>
  );
}
