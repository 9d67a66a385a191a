'use client';

import { useState } from 'react';
import { DropZone } from '@/components/kit/upload/drop-zone';
import type { DroppedFile } from '@/components/kit/upload/dropped-files';
import { ResumableUpload, type UploadTarget } from '@/components/kit/upload/resumable-upload';
import { UploadRow } from '@/components/kit/upload/upload-row';
import { PiecePage } from '../piece-page';

/** Delay per sample part: slow enough to watch its progress. */
const PART_MS = 400;
const PARTS = 8;

interface Row {
  key: number;
  path: string;
  upload: ResumableUpload;
}

/** Stores parts in memory, slowly enough to watch. A file with "fail" in its name fails once at its fourth part. */
function memoryTarget(): UploadTarget {
  const parts = new Set<number>();
  let fails = false;
  return {
    begin: async (file) => {
      fails = file.name.includes('fail');
      return { uploadId: file.name, partSize: Math.max(1, Math.ceil(file.size / PARTS)) };
    },
    arrived: async () => [...parts],
    send: async (_id, part, _bytes, signal) => {
      await new Promise((resolve) => setTimeout(resolve, PART_MS));
      signal.throwIfAborted();
      if (fails && part === 4) {
        fails = false;
        throw new Error('The connection was lost.');
      }
      parts.add(part);
    },
    complete: async () => {},
    abandon: async () => parts.clear(),
  };
}

export default function UploadsPage() {
  const [rows, setRows] = useState<Row[]>([]);
  const add = (files: DroppedFile[]) =>
    setRows((now) => {
      const first = (now[0]?.key ?? 0) + files.length;
      const added = files.map(({ path, file }, position) => {
        const upload = new ResumableUpload(file, memoryTarget(), { parallel: 1, attempts: 1 });
        void upload.start();
        return { key: first - position, path, upload };
      });
      return [...added, ...now];
    });
  return (
    <PiecePage name="uploads">
      <DropZone label="Files" hint="Nothing leaves this page." onFiles={add} />
      {rows.length > 0 && (
        <ul aria-label="Uploads" className="divide-y rounded-lg border bg-surface">
          {rows.map(({ key, path, upload }) => (
            <UploadRow
              key={key}
              path={path}
              upload={upload}
              onRemove={() => setRows((now) => now.filter((row) => row.key !== key))}
            />
          ))}
        </ul>
      )}
    </PiecePage>
  );
}
