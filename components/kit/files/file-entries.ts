/** An object in a listing with the delimiter `/`, or a folder of objects. */
export type FileEntry =
  | { kind: 'folder'; prefix: string }
  | { kind: 'file'; key: string; size_bytes: number; last_modified: string };

/** The display name: the last part of a key or prefix. */
export function nameOf(entry: FileEntry): string {
  const path = entry.kind === 'folder' ? entry.prefix.replace(/\/$/, '') : entry.key;
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The id of an entry: its prefix or key. */
export const idOf = (entry: FileEntry): string => (entry.kind === 'folder' ? entry.prefix : entry.key);

/** Sorts folders first, then by name; numbers in names sort numerically. */
export function inOrder(entries: readonly FileEntry[]): FileEntry[] {
  const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  return entries.toSorted((one, other) =>
    one.kind === other.kind ? byName.compare(nameOf(one), nameOf(other)) : one.kind === 'folder' ? -1 : 1,
  );
}

/** The folders on the path to a prefix, without the root: `a/` and `a/b/` for `a/b/`. */
export function wayTo(prefix: string): { name: string; prefix: string }[] {
  const parts = prefix.split('/').filter((part) => part !== '');
  return parts.map((name, position) => ({ name, prefix: `${parts.slice(0, position + 1).join('/')}/` }));
}

/** The selection after toggling a row; with Shift, includes all rows from the previously toggled one. */
export function toggled(
  ids: readonly string[],
  selection: ReadonlySet<string>,
  id: string,
  from?: string,
): Set<string> {
  const next = new Set(selection);
  const on = !selection.has(id);
  const [start, end] = [ids.indexOf(from ?? id), ids.indexOf(id)].sort((one, other) => one - other);
  const rows = start === undefined || end === undefined || start < 0 ? [id] : ids.slice(start, end + 1);
  for (const row of rows) {
    if (on) next.add(row);
    else next.delete(row);
  }
  return next;
}
