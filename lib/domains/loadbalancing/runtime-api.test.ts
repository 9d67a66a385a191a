import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from './runtime-api';

/** Longer than a proxy may take for an answer. */
const BUSY_MS = 700;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nephele-proxy-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a proxy is not taken for silent because this process was busy', async () => {
  const path = join(folder, 'socket');
  const server = createServer((connection) => connection.once('data', () => connection.end('Name: HAProxy\n')));
  await once(server.listen(path), 'listening');
  const answer = ask(path, ['show info']);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
  expect(await answer).toBe('Name: HAProxy\n');
  server.close();
});
