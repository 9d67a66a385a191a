import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** The API reference's own program, from its package: no page here loads anything from elsewhere. */
export async function GET(request: Request): Promise<Response> {
  const file = join(process.cwd(), 'node_modules/@scalar/api-reference/dist/browser/standalone.js');
  const { size, mtimeMs } = await stat(file);
  const etag = `"${size}-${Math.round(mtimeMs)}"`;
  const headers = {
    ETag: etag,
    'Cache-Control': 'public, max-age=3600',
    'Content-Type': 'text/javascript; charset=utf-8',
  };
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  return new Response(Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>, { headers });
}
