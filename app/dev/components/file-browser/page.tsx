'use client';

import { useState } from 'react';
import { FileBrowser } from '@/components/kit/files/file-browser';
import type { FileEntry } from '@/components/kit/files/file-entries';
import { formatCount } from '@/lib/format/quantity';
import { PiecePage } from '../piece-page';

const file = (key: string, size_bytes: number): FileEntry => ({
  kind: 'file',
  key,
  size_bytes,
  last_modified: '2026-11-20T16:20:00Z',
});

const listings: Record<string, FileEntry[]> = {
  '': [
    { kind: 'folder', prefix: 'photos/' },
    { kind: 'folder', prefix: 'backups/' },
    file('index.html', 18_204),
    file('report-2026-10.pdf', 2_481_110),
    file('a-file-with-a-name-so-long-that-no-phone-shows-all-of-it-on-one-line.tar.gz', 9_120_334_211),
  ],
  'photos/': [{ kind: 'folder', prefix: 'photos/2026/' }],
  'photos/2026/': ['harbour-2.jpg', 'harbour-10.jpg', 'summit.jpg'].map((name, position) =>
    file(`photos/2026/${name}`, 3_000_000 + position * 411_007),
  ),
  'backups/': [],
};

export default function FileBrowserPage() {
  const [prefix, setPrefix] = useState('');
  const [selection, setSelection] = useState(new Set<string>());
  const [opened, setOpened] = useState<string>();
  return (
    <PiecePage name="file-browser">
      <p role="status" className="text-ink-muted text-sm">
        {formatCount(selection.size, 'row')} selected{opened && ` · Opened: ${opened}`}
      </p>
      <FileBrowser
        root="assets"
        prefix={prefix}
        entries={listings[prefix] ?? []}
        onOpenFolder={(next) => {
          setPrefix(next);
          setSelection(new Set());
        }}
        onOpenFile={setOpened}
        selection={selection}
        onSelection={setSelection}
      />
    </PiecePage>
  );
}
