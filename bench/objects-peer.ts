import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { summing } from '@/lib/domains/objects/store/checksums';

/** Plain files over HTTP with the same hashes and as durable, and nothing else: what object storage is compared with. */
const [folder = '', port = ''] = process.argv.slice(2);
let drafts = 0;

createServer(async (request, response) => {
  const path = join(folder, encodeURIComponent(request.url ?? ''));
  if (request.method === 'GET') {
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Length': size });
    await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), response).catch(() => {});
    return;
  }
  drafts += 1;
  const draft = join(folder, `draft-${drafts}`);
  const [md5, sum] = [createHash('md5'), await summing('CRC64NVME')] as const;
  await pipeline(
    request,
    async function* (body: AsyncIterable<Buffer>) {
      for await (const piece of body) {
        md5.update(piece);
        sum.update(piece);
        yield piece;
      }
    },
    createWriteStream(draft),
  );
  const file = await open(draft, 'r+');
  await file.datasync();
  await file.close();
  await rename(draft, path);
  const place = await open(folder, 'r');
  await place.sync();
  await place.close();
  response.writeHead(200, { ETag: `"${md5.digest('hex')}"` }).end();
}).listen(Number(port), '127.0.0.1');
