import { send } from './api';
import type { ListQuery } from './list';

/** Asks the API for a file and hands it to the browser under a name; the session and the project go along. */
export async function download(
  path: string,
  query: ListQuery,
  headers: Record<string, string>,
  fileName: string,
): Promise<void> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const response = await send(new Request(`${path}?${search}`, { headers }));
  saveFile(await response.blob(), fileName);
}

/** Hands a file to the browser under a name. */
export function saveFile(content: Blob, fileName: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}

/** A name as one that every file system takes: `my key/1` is `my-key-1`. */
export function fileNameOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '') || 'file';
}
