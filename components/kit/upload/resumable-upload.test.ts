import { afterEach, beforeEach, expect, test } from 'vitest';
import { startPartServer } from '@/lib/testing/part-server';
import { partNumbers, ResumableUpload, type UploadTarget } from './resumable-upload';

const PART = 1000;
let server: Awaited<ReturnType<typeof startPartServer>>;

beforeEach(async () => {
  server = await startPartServer(PART);
});
afterEach(() => server.close());

async function call(path: string, init: RequestInit) {
  const response = await fetch(`${server.url}${path}`, init);
  if (!response.ok) throw new Error(`refused with ${response.status}`);
  return response.json();
}

const target: UploadTarget = {
  begin: (file, signal) => call('/', { method: 'POST', headers: { 'X-Size': String(file.size) }, signal }),
  arrived: async (id, signal) => (await call(`/${id}`, { signal })).parts,
  send: (id, part, bytes, signal) => call(`/${id}/${part}`, { method: 'PUT', body: bytes, signal }),
  complete: (id, signal) => call(`/${id}/complete`, { method: 'POST', signal }),
  abandon: (id) => call(`/${id}`, { method: 'DELETE' }),
};

const content = (size: number) => Buffer.from(Array.from({ length: size }, (_, position) => position % 251));
const fileOf = (size: number) => new File([content(size)], 'disk.raw');
const atOnce = { backOff: async () => {} };

/** Resolves when `count` parts have arrived. */
const arrived = (upload: ResumableUpload, count: number) =>
  new Promise<void>((resolve) => {
    const look = () => upload.progress.sentBytes >= count * PART && resolve();
    upload.subscribe(look);
    look();
  });

test.each([0, 1, 999, 1000, 1001, 7500])('a file of %s bytes arrives unchanged', async (size) => {
  const upload = new ResumableUpload(fileOf(size), target);
  await upload.start();
  expect(upload.progress).toEqual({ state: 'done', sentBytes: size, totalBytes: size, error: undefined });
  expect(server.files.get('upload-1')?.equals(content(size))).toBe(true);
  expect(server.received.toSorted((one, other) => one - other)).toEqual(partNumbers(size, PART));
});

test('after a pause only the missing parts are sent', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.holdParts((part) => (part > 3 ? held : Promise.resolve()));
  const upload = new ResumableUpload(fileOf(6000), target, { parallel: 1 });
  const first = upload.start();
  await arrived(upload, 3);
  upload.pause();
  await first;
  expect(upload.progress).toMatchObject({ state: 'paused', sentBytes: 3000 });
  release();
  server.holdParts(undefined);
  await upload.start();
  expect(upload.progress.state).toBe('done');
  expect(server.files.get('upload-1')?.equals(content(6000))).toBe(true);
  for (const part of [1, 2, 3]) expect(server.received.filter((sent) => sent === part)).toHaveLength(1);
});

test('a refused part is sent again, and the rest is not', async () => {
  let refusals = 2;
  server.refuseParts((part) => part === 2 && refusals-- > 0);
  const upload = new ResumableUpload(fileOf(3000), target, atOnce);
  await upload.start();
  expect(upload.progress.state).toBe('done');
  expect(server.received.filter((part) => part === 2)).toHaveLength(3);
  expect(server.received.filter((part) => part !== 2)).toHaveLength(2);
});

test('a lost connection is waited out, however many attempts that takes, and ends the upload only in the end', async () => {
  const lost = { left: 40 };
  const flaky = {
    ...target,
    send: async (...sent: Parameters<typeof target.send>) => {
      lost.left -= 1;
      if (lost.left > 0) throw new TypeError('Failed to fetch');
      await target.send(...sent);
    },
  };
  const upload = new ResumableUpload(fileOf(3000), flaky, atOnce);
  await upload.start();
  expect([upload.progress.state, lost.left < 0]).toEqual(['done', true]);
  lost.left = Number.POSITIVE_INFINITY;
  const other = new ResumableUpload(fileOf(3000), flaky, { ...atOnce, patienceMs: 0 });
  await other.start();
  expect(other.progress).toMatchObject({ state: 'failed', error: new TypeError('Failed to fetch') });
});

test('a failed upload continues where it stopped', async () => {
  server.refuseParts((part) => part === 3);
  const upload = new ResumableUpload(fileOf(4000), target, { ...atOnce, parallel: 1, attempts: 2 });
  await upload.start();
  expect(upload.progress).toMatchObject({ state: 'failed', sentBytes: 2000, error: new Error('refused with 503') });
  server.refuseParts(() => false);
  await upload.start();
  expect(upload.progress).toMatchObject({ state: 'done', error: undefined });
  expect(server.received).toEqual([1, 2, 3, 3, 3, 4]);
});

test('parts that arrived although their answer was lost are not sent again', async () => {
  const upload = new ResumableUpload(fileOf(2000), target, { parallel: 1 });
  server.holdParts(async (part) => {
    // The client gives up while the server stores the part.
    if (part === 2) upload.pause();
  });
  await upload.start();
  server.holdParts(undefined);
  await expect.poll(() => server.uploads.get('upload-1')?.parts.size).toBe(2);
  await upload.start();
  expect(upload.progress.state).toBe('done');
  expect(server.received).toEqual([1, 2]);
});

test('a cancelled upload leaves nothing behind', async () => {
  const upload = new ResumableUpload(fileOf(5000), target, { parallel: 1 });
  const running = upload.start();
  await arrived(upload, 1);
  await upload.cancel();
  await running;
  expect(server.uploads.size).toBe(0);
  expect(server.files.size).toBe(0);
});

test('a second start during an upload sends nothing twice', async () => {
  const upload = new ResumableUpload(fileOf(3000), target);
  await Promise.all([upload.start(), upload.start()]);
  expect(server.received).toHaveLength(3);
});
