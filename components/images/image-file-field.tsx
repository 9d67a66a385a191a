'use client';

import { clsx } from 'clsx';
import { FileUp } from 'lucide-react';
import { type DragEvent, useId, useState } from 'react';
import { formatBytes } from '@/lib/format/size';

interface ImageFileFieldProps {
  file: File | undefined;
  onFile: (file: File) => void;
  /** What to know about the chosen file. */
  note?: string | undefined;
  error?: string | undefined;
}

/** A place to drop a file on, which a click or the keyboard opens as well. */
export function ImageFileField({ file, onFile, note, error }: ImageFileFieldProps) {
  const id = useId();
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped) onFile(dropped);
  };
  return (
    <div>
      <label
        htmlFor={id}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={clsx(
          'flex cursor-pointer flex-col items-center rounded-lg border border-dashed px-4 py-9 text-center transition-colors duration-100',
          'has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-2',
          over ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface hover:bg-hover',
          error && 'border-critical',
        )}
      >
        <FileUp className={clsx('size-6', over ? 'text-accent' : 'text-ink-muted')} aria-hidden="true" />
        {file ? (
          <>
            <span className="mt-3 max-w-full break-all font-medium text-sm">{file.name}</span>
            <span className="mt-0.5 text-ink-muted text-xs">
              {formatBytes(file.size)} · drop or choose another file to replace it
            </span>
          </>
        ) : (
          <>
            <span className="mt-3 font-medium text-sm">Drop an image file here, or choose a file</span>
            <span className="mt-0.5 text-ink-muted text-xs">QCOW2, RAW or ISO, uncompressed</span>
          </>
        )}
        <input
          id={id}
          type="file"
          aria-label="Image file"
          aria-describedby={`${id}-note`}
          aria-invalid={error ? true : undefined}
          className="sr-only"
          onChange={({ target }) => {
            const [chosen] = target.files ?? [];
            if (chosen) onFile(chosen);
            // The same file may be chosen again, after it has changed.
            target.value = '';
          }}
        />
      </label>
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
