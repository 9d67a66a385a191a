import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compressFiles, serveBuiltFiles } from './static-files';

const parent = mkdtempSync(join(tmpdir(), 'nephele-static-'));
const folder = join(parent, 'static');
const script = 'console.log("Nephele");\n'.repeat(200);
const server = createServer();

beforeAll(async () => {
  mkdirSync(join(folder, 'chunks'), { recursive: true });
  writeFileSync(join(folder, 'chunks/a1b2.js'), script);
  writeFileSync(join(folder, 'chunks/small.js'), 'x');
  writeFileSync(join(parent, 'secret.js'), 'secret');
  await compressFiles(folder);
  const serve = serveBuiltFiles(folder);
  server.on('request', (incoming, response) => {
    if (!serve(incoming, response)) response.writeHead(404, { 'X-Url': incoming.url }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(parent, { recursive: true });
});

/** Fetches raw bytes: `fetch` would decompress them and normalise the path. */
async function get(path: string, encodings: string): Promise<{ answer: IncomingMessage; body: Buffer }> {
  const { port } = server.address() as AddressInfo;
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    request({ port, path, headers: { 'Accept-Encoding': encodings } }, resolve)
      .on('error', reject)
      .end(),
  );
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part);
  return { answer, body: Buffer.concat(parts) };
}

describe('a build’s file', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (body: Buffer) => body],
  ])('is sent to a client that accepts %s as %s', async (accepted, encoding, read) => {
    const { answer, body } = await get('/_next/static/chunks/a1b2.js', accepted);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript',
      'cache-control': 'public,max-age=31536000,immutable',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(read(body).toString()).toBe(script);
    if (encoding) expect(body.length).toBeLessThan(script.length / 20);
  });
  test('is sent uncompressed when it is too small to gain', async () => {
    const { answer, body } = await get('/_next/static/chunks/small.js', 'br');
    expect([answer.headers['content-encoding'], body.toString()]).toEqual([undefined, 'x']);
  });
  test.each([
    '/_next/static/chunks/none.js',
    '/_next/static/../secret.js',
    '/_next/static/%2e%2e/secret.js',
    '/_next/image',
    '/projects/demo',
  ])('is not %s: such a request passes on with its address unchanged', async (path) => {
    const { answer } = await get(path, 'br');
    expect([answer.statusCode, answer.headers['x-url']]).toEqual([404, path]);
  });
});
