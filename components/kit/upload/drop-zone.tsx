'use client';

import { clsx } from 'clsx';
import { FileUp } from 'lucide-react';
import { type DragEvent, useId, useState } from 'react';
import { chosenFiles, type DroppedFile, droppedFiles } from './dropped-files';

interface DropZoneProps {
  /** Name of the field: "Files". */
  label: string;
  invitation?: string;
  /** Limits on files: "Up to 5 TB each". */
  hint?: string | undefined;
  /** Accepts a single file. */
  single?: boolean;
  invalid?: boolean;
  /** Id of an element with an error or a note. */
  describedBy?: string;
  onFiles: (files: DroppedFile[]) => void;
}

/** Accepts files and folders by drag and drop, click or keyboard. */
export function DropZone(props: DropZoneProps) {
  const { label, invitation = 'Drop files or folders here, or choose files', hint, onFiles } = props;
  const { single = false, invalid = false, describedBy } = props;
  const id = useId();
  const [over, setOver] = useState(false);
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const files = await droppedFiles(event.dataTransfer);
    if (files.length > 0) onFiles(files);
  };
  return (
    <label
      htmlFor={id}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
      className={clsx(
        'flex cursor-pointer flex-col items-center rounded-lg border border-dashed px-4 py-9 text-center transition-colors duration-100',
        'has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-2',
        over ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface hover:bg-hover',
        invalid && 'border-critical',
      )}
    >
      <FileUp className={clsx('size-6', over ? 'text-accent' : 'text-ink-muted')} aria-hidden="true" />
      <span className="mt-3 max-w-full break-words font-medium text-sm">{invitation}</span>
      {hint && <span className="mt-0.5 text-ink-muted text-xs">{hint}</span>}
      <input
        id={id}
        type="file"
        multiple={!single}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        className="sr-only"
        onChange={({ target }) => {
          const files = chosenFiles(target.files);
          if (files.length > 0) onFiles(files);
          // The same file can be selected again, after it has changed.
          target.value = '';
        }}
      />
    </label>
  );
}
