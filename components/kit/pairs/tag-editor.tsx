'use client';

import { X } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { Label } from '@/components/kit/ui/label';
import { withTag } from './pairs';

interface TagEditorProps {
  label: string;
  tags: readonly string[];
  onChange: (tags: readonly string[]) => void;
}

/** An editor for tags. Enter or a comma adds one; Backspace in the empty field removes the last. */
export function TagEditor({ label, tags, onChange }: TagEditorProps) {
  const id = useId();
  const [entered, setEntered] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const add = () => {
    onChange(withTag(tags, entered));
    setEntered('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.key === 'Enter' || event.key === ',') && entered.trim() !== '') {
      event.preventDefault();
      add();
    }
    if (event.key === 'Backspace' && entered === '' && tags.length > 0) onChange(tags.slice(0, -1));
  };
  return (
    <div>
      <Label htmlFor={id}>{label}</Label>
      <div className="mt-1.5 flex flex-wrap items-center gap-1.5 rounded-md border border-line-strong bg-surface p-1.5 shadow-control focus-within:outline-2 focus-within:outline-focus">
        {tags.map((tag) => (
          <span key={tag} className="inline-flex max-w-full items-center rounded-sm bg-accent-soft pl-2 text-xs">
            <span className="truncate">{tag}</span>
            <button
              type="button"
              aria-label={`Remove ${tag}`}
              onClick={() => {
                onChange(tags.filter((other) => other !== tag));
                field.current?.focus();
              }}
              className="grid size-6 place-items-center rounded-sm text-ink-muted hover:text-ink"
            >
              <X className="size-3" aria-hidden="true" />
            </button>
          </span>
        ))}
        <input
          ref={field}
          id={id}
          value={entered}
          placeholder={tags.length === 0 ? 'Add a tag' : ''}
          onChange={({ target }) => setEntered(target.value)}
          onKeyDown={onKeyDown}
          onBlur={add}
          className="min-w-24 flex-1 bg-transparent px-1 text-sm outline-none placeholder:text-ink-subtle pointer-coarse:text-lg"
        />
      </div>
    </div>
  );
}
