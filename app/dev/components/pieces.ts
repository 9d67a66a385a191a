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
  SearchCode,
  SlidersHorizontal,
  UploadCloud,
  Workflow,
} from 'lucide-react';

export interface Piece {
  /** The name of its folder here, and the last segment of its path. */
  name: string;
  label: string;
  icon: LucideIcon;
  /** Its purpose in one sentence. */
  purpose: string;
}

/** The components of the gallery. */
export const pieces: readonly Piece[] = [
  {
    name: 'code-editor',
    label: 'Code editor',
    icon: FileCode2,
    purpose: 'Function code, queries and policies, with syntax, search and folding.',
  },
  { name: 'code-diff', label: 'Code diff', icon: FileDiff, purpose: 'Changes between two versions.' },
  {
    name: 'yaml-editor',
    label: 'YAML editor',
    icon: FileWarning,
    purpose: 'YAML with problems marked at their lines.',
  },
  {
    name: 'query-field',
    label: 'Query field',
    icon: SearchCode,
    purpose: 'A query in LogQL or PromQL, with completion and the place of an error.',
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
    purpose: 'Dependent steps with automatic layout.',
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
  { name: 'cron-field', label: 'Cron field', icon: CalendarClock, purpose: 'A schedule with its meaning in words.' },
  {
    name: 'markdown',
    label: 'Markdown',
    icon: MessageSquareText,
    purpose: 'Streamed Markdown from users and models, sanitized.',
  },
];

/** @throws when no component has this name */
export function pieceOf(name: string): Piece {
  const piece = pieces.find((candidate) => candidate.name === name);
  if (!piece) throw new Error(`The gallery has no ${name}.`);
  return piece;
}
