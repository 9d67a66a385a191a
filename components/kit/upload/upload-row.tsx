'use client';

import { Check, Pause, Play, RotateCcw, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Button } from '@/components/kit/ui/button';
import { Progress } from '@/components/kit/ui/progress';
import { Tooltip } from '@/components/kit/ui/tooltip';
import { formatPercent } from '@/lib/format/number';
import { formatBytes } from '@/lib/format/size';
import type { ResumableUpload, UploadProgress } from './resumable-upload';

interface UploadRowProps {
  path: string;
  upload: ResumableUpload;
  /** Called when the upload was cancelled or is complete. */
  onRemove: () => void;
}

/** The progress of an upload, with pause, resume, retry and cancel. */
export function UploadRow({ path, upload, onRemove }: UploadRowProps) {
  const progress = useSyncExternalStore(
    (listener) => upload.subscribe(listener),
    () => upload.progress,
    () => upload.progress,
  );
  const { state, sentBytes, totalBytes } = progress;
  const share = totalBytes === 0 ? Number(state === 'done') : sentBytes / totalBytes;
  return (
    <li className="flex items-center gap-3 px-4 py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{path}</p>
        {state !== 'done' && <Progress label={`Upload of ${path}`} share={share} className="mt-1.5" />}
        <p className="mt-1 flex flex-wrap justify-between gap-x-4 text-ink-muted text-xs tabular-nums">
          <span className={state === 'failed' ? 'text-critical-ink' : undefined}>{wordsOf(progress)}</span>
          {state !== 'done' && <span>{formatPercent(share)}</span>}
        </p>
      </div>
      {state === 'done' && <Check className="size-4 text-positive" aria-hidden="true" />}
      {state === 'sending' && <IconAction label={`Pause ${path}`} icon={Pause} onClick={() => upload.pause()} />}
      {state === 'paused' && <IconAction label={`Resume ${path}`} icon={Play} onClick={() => void upload.start()} />}
      {state === 'failed' && (
        <IconAction label={`Retry ${path}`} icon={RotateCcw} onClick={() => void upload.start()} />
      )}
      <IconAction
        label={state === 'done' ? `Dismiss ${path}` : `Cancel ${path}`}
        icon={X}
        onClick={() => {
          void upload.cancel();
          onRemove();
        }}
      />
    </li>
  );
}

function IconAction({ label, icon: Icon, onClick }: { label: string; icon: typeof X; onClick: () => void }) {
  return (
    <Tooltip text={label.split(' ')[0]}>
      <Button variant="quiet" size="icon-sm" aria-label={label} onClick={onClick}>
        <Icon />
      </Button>
    </Tooltip>
  );
}

function wordsOf({ state, sentBytes, totalBytes, error }: UploadProgress): string {
  const amount = `${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}`;
  switch (state) {
    case 'waiting':
      return 'Waiting';
    case 'sending':
      return amount;
    case 'paused':
      return `Paused · ${amount}`;
    case 'finishing':
      return 'Finishing';
    case 'done':
      return `Uploaded · ${formatBytes(totalBytes)}`;
    case 'failed':
      return `Failed · ${error instanceof Error ? error.message : 'The connection was lost.'}`;
  }
}
