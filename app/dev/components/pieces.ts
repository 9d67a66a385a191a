import {
  Braces,
  CalendarClock,
  ChartLine,
  FileCode2,
  FileDiff,
  FileWarning,
  FolderTree,
  ListChecks,
  type LucideIcon,
  MessageSquareText,
  ScrollText,
  SlidersHorizontal,
  UploadCloud,
  Workflow,
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
    name: 'code-editor',
    label: 'Code editor',
    icon: FileCode2,
    purpose: 'Function code, queries and policies, with syntax, search and folding.',
  },
  { name: 'code-diff', label: 'Code diff', icon: FileDiff, purpose: 'What changes from one version to another.' },
  {
    name: 'yaml-editor',
    label: 'YAML editor',
    icon: FileWarning,
    purpose: 'YAML with problems marked at their lines.',
  },
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
    name: 'graph',
    label: 'Graph',
    icon: Workflow,
    purpose: 'Steps that follow from each other, placed automatically.',
  },
  { name: 'wizard', label: 'Wizard', icon: ListChecks, purpose: 'A task in steps: choose, check, review, run.' },
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
