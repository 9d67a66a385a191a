import { send } from './api';
import type { ListQuery } from './list';

/** Fetches a file from the API, with session and project, and saves it in the browser under a name. */
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

/** Saves a file in the browser under a name. */
export function saveFile(content: Blob, fileName: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}

/** A file name that every file system accepts: `my key/1` becomes `my-key-1`. */
export function fileNameOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '') || 'file';
}
