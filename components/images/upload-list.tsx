'use client';

import { CircleAlert, X } from 'lucide-react';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button } from '@/components/kit/ui/button';
import { Progress } from '@/components/kit/ui/progress';
import { formatPercent } from '@/lib/format/number';
import { formatBytes } from '@/lib/format/size';
import { formatDuration } from '@/lib/format/time';
import { remainingSeconds } from './upload-speed';
import { endUpload, type ImageUpload, startUpload, useUploads } from './uploads';

/** What is being sent, how far it is, and what came of it where it was refused. */
export function UploadList() {
  const uploads = useUploads();
  if (uploads.length === 0) return null;
  return (
    <section aria-label="Uploads" className="mb-5 space-y-3">
      {uploads.map((upload) => (
        <Upload key={upload.key} upload={upload} />
      ))}
    </section>
  );
}

function Upload({ upload }: { upload: ImageUpload }) {
  const { key, projectId, file, facts, state, error } = upload;
  if (state === 'failed') {
    return (
      <ErrorNotice title={`${facts.name} could not be uploaded`} error={error}>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button
            size="sm"
            onClick={() => {
              endUpload(key);
              startUpload(projectId, file, facts);
            }}
          >
            Upload again
          </Button>
          <Button size="sm" variant="quiet" onClick={() => endUpload(key)}>
            Dismiss
          </Button>
        </div>
      </ErrorNotice>
    );
  }
  const share = upload.total > 0 ? upload.sent / upload.total : 0;
  return (
    <div className="rounded-lg border bg-surface p-4 text-sm">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="truncate font-medium">{facts.name}</p>
          <p className="truncate text-ink-muted text-xs">
            {file.name} · {facts.format}
          </p>
        </div>
        <Button size="sm" aria-label={`Cancel the upload of ${facts.name}`} onClick={() => endUpload(key)}>
          <X /> Cancel
        </Button>
      </div>
      <Progress label={`Upload of ${facts.name}`} share={share} className="mt-3" />
      <p className="mt-1.5 flex flex-wrap justify-between gap-x-4 text-ink-muted text-xs tabular-nums">
        <span>
          {formatBytes(upload.sent)} of {formatBytes(upload.total)} · {formatPercent(share)}
        </span>
        <span>{pace(upload)}</span>
      </p>
    </div>
  );
}

function pace(upload: ImageUpload): string {
  if (upload.state === 'finishing') return 'Sent. The server is saving the file.';
  const seconds = remainingSeconds(upload);
  if (upload.speed === undefined || seconds === undefined) return 'Starting';
  return `${formatBytes(upload.speed)}/s · ${formatDuration(Math.max(1, Math.ceil(seconds)) * 1000)} left`;
}

/** Says, on a page that leads away, that uploads go on. */
export function UploadsGoOn() {
  return (
    <p className="flex items-start gap-2 text-pretty text-ink-muted text-xs">
      <CircleAlert className="mt-px size-4 shrink-0" aria-hidden="true" />
      The upload continues while you visit other pages. Keep this tab open.
    </p>
  );
}
