'use client';

import { clsx } from 'clsx';
import { useId } from 'react';
import { DropZone } from '@/components/kit/upload/drop-zone';
import { formatBytes } from '@/lib/format/size';

interface ImageFileFieldProps {
  file: File | undefined;
  onFile: (file: File) => void;
  /** Shown below the field: the detected format, for example. */
  note?: string | undefined;
  error?: string | undefined;
}

/** The image file to upload. */
export function ImageFileField({ file, onFile, note, error }: ImageFileFieldProps) {
  const id = useId();
  return (
    <div>
      <DropZone
        single
        label="Image file"
        invitation={file ? file.name : 'Drop an image file here, or choose a file'}
        hint={
          file
            ? `${formatBytes(file.size)} · drop or choose another file to replace it`
            : 'QCOW2, RAW or ISO, uncompressed'
        }
        invalid={error !== undefined}
        describedBy={`${id}-note`}
        onFiles={([first]) => first && onFile(first.file)}
      />
      <p
        id={`${id}-note`}
        aria-live="polite"
        className={clsx('mt-1.5 text-xs', error ? 'text-critical-ink' : 'text-ink-muted')}
      >
        {error ?? note}
      </p>
    </div>
  );
}
