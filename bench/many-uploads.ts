import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const GB = 1024 ** 3;
const UPLOADS = 100;
/** Bytes that the fastest upload sends per round. */
const ROUND_BYTES = 4 * 1024 ** 2;
/** Longer than the server keeps its figure of the free space, from which it subtracts each announced body. */
const APART_MS = 250;
const SAMPLE_MS = 200;
const SHOWN_MS = 15_000;

type Upload = { key: string; weight: number; left: number; sent: ClientRequest; answered: Promise<number> };

/**
 * A hundred uploads of 1 GB at once, at paces from a twentieth to the whole of the fastest, and deleted when they have ended: so less
 * than half of their bytes need a place at once, and all of them end.
 * @param resident the memory of the server in MB
 */
export async function measureManyUploads(
  url: (method: 'PUT' | 'DELETE', key: string) => string,
  resident: () => number,
): Promise<void> {
  const before = resident();
  let most = before;
  const piece = Buffer.alloc(ROUND_BYTES, 'nephele ');
  let uploads: Upload[] = [];
  for (let index = 0; index < UPLOADS; index += 1) {
    uploads.push(begin(url, `gigabyte-${index}`, 0.05 + 0.95 * ((index + 1) / UPLOADS) ** 1.5));
    await delay(APART_MS);
  }
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  const sampling = setInterval(() => {
    most = Math.max(most, resident());
  }, SAMPLE_MS);
  const showing = setInterval(
    () => console.log(`    after ${Math.round(seconds())} s: ${Math.round(resident())} MB, ${uploads.length} uploads`),
    SHOWN_MS,
  );
  try {
    while (uploads.length > 0) {
      const fastest = Math.max(...uploads.map(({ weight }) => weight));
      await Promise.all(
        uploads.map(async (upload) => {
          const bytes = Math.min(upload.left, Math.ceil((ROUND_BYTES * upload.weight) / fastest));
          upload.left -= bytes;
          if (!upload.sent.write(piece.subarray(0, bytes))) await once(upload.sent, 'drain');
        }),
      );
      const ended = uploads.filter(({ left }) => left === 0);
      uploads = uploads.filter(({ left }) => left > 0);
      await Promise.all(ended.map((upload) => end(url, upload)));
    }
  } finally {
    clearInterval(sampling);
    clearInterval(showing);
    for (const { sent } of uploads) sent.destroy();
  }
  console.log(
    `Memory during ${UPLOADS} parallel PUTs of 1 GB: ${Math.round(before)} MB before, ${Math.round(most)} MB at most (${Math.round((UPLOADS * 1024) / seconds())} MB/s)`,
  );
}

function begin(url: (method: 'PUT', key: string) => string, key: string, weight: number): Upload {
  const sent = request(url('PUT', key), { method: 'PUT', headers: { 'Content-Length': GB } });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
  });
  answered.catch(() => {});
  sent.flushHeaders();
  return { key, weight, left: GB, sent, answered };
}

async function end(url: (method: 'DELETE', key: string) => string, { key, sent, answered }: Upload): Promise<void> {
  sent.end();
  const status = await answered;
  if (status !== 200) throw new Error(`${key} was answered with ${status}`);
  await fetch(url('DELETE', key), { method: 'DELETE' });
}
