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
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
