import {
  Braces,
  CalendarClock,
  ChartLine,
  FolderTree,
  type LucideIcon,
  MessageSquareText,
  ScrollText,
  SlidersHorizontal,
  UploadCloud,
} from 'lucide-react';

export interface Piece {
  /** Its folder here, and the last part of its address. */
  name: string;
  label: string;
  icon: LucideIcon;
  /** What it is for, in one sentence. */
  purpose: string;
}

/** Every component that has a page in the gallery. */
export const pieces: readonly Piece[] = [
  {
    name: 'time-series',
    label: 'Time series',
    icon: ChartLine,
    purpose: 'Metrics with one time range, one cursor, and zoom by dragging.',
  },
  {
    name: 'log-viewer',
    label: 'Log viewer',
    icon: ScrollText,
    purpose: 'Logs of any length: search, colors, follow, a link to each line.',
  },
  {
    name: 'file-browser',
    label: 'File browser',
    icon: FolderTree,
    purpose: 'Folders and files of a bucket, with selection.',
  },
  {
    name: 'uploads',
    label: 'Uploads',
    icon: UploadCloud,
    purpose: 'Files and folders sent in parts, with pause, resume and retry.',
  },
  {
    name: 'split-slider',
    label: 'Split slider',
    icon: SlidersHorizontal,
    purpose: 'Shares that always add up to 100%.',
  },
  {
    name: 'key-values',
    label: 'Key-value and tag editor',
    icon: Braces,
    purpose: 'Environment variables, labels and tags.',
  },
  { name: 'cron-field', label: 'Cron field', icon: CalendarClock, purpose: 'A schedule, and what it means in words.' },
  {
    name: 'markdown',
    label: 'Markdown',
    icon: MessageSquareText,
    purpose: 'Text of models and people, streamed and safe.',
  },
];

/** @throws when no piece has this name */
export function pieceOf(name: string): Piece {
  const piece = pieces.find((candidate) => candidate.name === name);
  if (!piece) throw new Error(`The gallery has no ${name}.`);
  return piece;
}
