'use client';

import { ChevronRight, File, Folder } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { Size } from '@/components/kit/data/amounts';
import { Time } from '@/components/kit/data/time';
import { Checkbox } from '@/components/kit/ui/choice';
import { type FileEntry, idOf, inOrder, nameOf, toggled, wayTo } from './file-entries';

interface FileBrowserProps {
  /** Name of the root, such as the bucket's. */
  root: string;
  /** The current folder, `a/b/`; empty for the root. */
  prefix: string;
  entries: readonly FileEntry[];
  onOpenFolder: (prefix: string) => void;
  onOpenFile: (key: string) => void;
  selection: ReadonlySet<string>;
  onSelection: (selection: Set<string>) => void;
  /** The menu at the end of a row. */
  actions?: (entry: FileEntry) => ReactNode;
}

/** The folders and files of a folder. Arrow keys move between rows, Space selects, Shift selects a range. */
export function FileBrowser(props: FileBrowserProps) {
  const { root, prefix, entries, onOpenFolder, onOpenFile, selection, onSelection, actions } = props;
  const list = useRef<HTMLUListElement>(null);
  const toggledBefore = useRef<string>(undefined);
  const rows = inOrder(entries);
  const ids = rows.map(idOf);

  const toggle = (id: string, between: boolean) => {
    onSelection(toggled(ids, selection, id, between ? toggledBefore.current : undefined));
    toggledBefore.current = id;
  };
  const onKeyDown = (event: KeyboardEvent, id: string) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === ' ') {
      event.preventDefault();
      toggle(id, event.shiftKey);
    }
    if (step === undefined) return;
    event.preventDefault();
    const names = [...(list.current?.querySelectorAll<HTMLButtonElement>('[data-name]') ?? [])];
    names[ids.indexOf(id) + step]?.focus();
  };
  return (
    <section aria-label={`Files in ${root}`} className="rounded-lg border bg-surface">
      <nav aria-label="Folders" className="flex flex-wrap items-center gap-1 border-b px-4 py-2 text-sm">
        <Step name={root} current={prefix === ''} onOpen={() => onOpenFolder('')} />
        {wayTo(prefix).map((step) => (
          <span key={step.prefix} className="inline-flex min-w-0 items-center gap-1">
            <ChevronRight className="size-3.5 shrink-0 text-ink-subtle" aria-hidden="true" />
            <Step name={step.name} current={step.prefix === prefix} onOpen={() => onOpenFolder(step.prefix)} />
          </span>
        ))}
      </nav>
      {rows.length === 0 && <p className="px-4 py-10 text-center text-ink-muted text-sm">This folder is empty</p>}
      <ul ref={list} className="divide-y">
        {rows.map((entry) => {
          const [id, name] = [idOf(entry), nameOf(entry)];
          const Icon = entry.kind === 'folder' ? Folder : File;
          return (
            <li
              key={id}
              data-selected={selection.has(id) || undefined}
              className="flex items-center gap-3 px-4 py-2 text-sm hover:bg-hover data-selected:bg-accent-soft"
            >
              <Checkbox
                aria-label={`Select ${name}`}
                checked={selection.has(id)}
                onChange={({ nativeEvent }) => toggle(id, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
              />
              <button
                type="button"
                data-name
                onClick={() => (entry.kind === 'folder' ? onOpenFolder(entry.prefix) : onOpenFile(entry.key))}
                onKeyDown={(event) => onKeyDown(event, id)}
                className="flex min-w-0 flex-1 items-center gap-2.5 rounded-sm text-left hover:text-accent"
              >
                <Icon
                  className={
                    entry.kind === 'folder' ? 'size-4 shrink-0 text-accent' : 'size-4 shrink-0 text-ink-subtle'
                  }
                  aria-hidden="true"
                />
                <span className="truncate font-medium">{name}</span>
              </button>
              {entry.kind === 'file' && (
                <span className="flex shrink-0 items-center gap-6 text-ink-muted text-xs">
                  <Size bytes={entry.size_bytes} />
                  <span className="w-24 text-right max-sm:hidden">
                    <Time at={entry.last_modified} />
                  </span>
                </span>
              )}
              {actions?.(entry)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Step({ name, current, onOpen }: { name: string; current: boolean; onOpen: () => void }) {
  return current ? (
    <span aria-current="page" className="truncate font-medium">
      {name}
    </span>
  ) : (
    <button type="button" onClick={onOpen} className="truncate rounded-sm text-ink-muted hover:text-accent">
      {name}
    </button>
  );
}
