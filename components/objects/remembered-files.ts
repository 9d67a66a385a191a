/** The time of change of the files that this browser has begun to upload, by the upload's id. */
const STORED = 'nephele.uploads';
const MOST = 200;

type Remembered = Record<string, number>;

function read(): Remembered {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '{}');
  } catch {
    return {};
  }
}

export function rememberFile(uploadId: string, { lastModified }: Pick<File, 'lastModified'>): void {
  const newest = [...Object.entries(read()), [uploadId, lastModified]].slice(-MOST);
  try {
    localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(newest)));
  } catch {
    // Without room, name and size decide.
  }
}

/** Whether an upload can be of this file: one that was changed since must not be continued, or the object would be a mixture. */
export function mayBeOf(uploadId: string, { lastModified }: Pick<File, 'lastModified'>): boolean {
  const known = read()[uploadId];
  return known === undefined || known === lastModified;
}
