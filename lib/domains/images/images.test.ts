import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serve } from '@/lib/core/api/kernel';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { startWorker, type Worker } from '@/lib/core/operations/worker';
import { replaceEngines } from '@/lib/engines/engines';
import { run } from '@/lib/engines/local/exec';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { authenticate } from '@/lib/people/identity/authenticate';
import { endpoints } from '@/lib/platform/endpoints';
import { testDatabase } from '@/lib/testing/database';
import { createCell, TINY_IMAGE } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { MemoryEngines } from '@/lib/testing/memory-engines';
import { sentForm } from '@/lib/testing/sent-form';
import { type Answer, api, createProject, type TestProject } from '@/lib/testing/world';
import { imageSteps } from './steps';

// The images are real files, judged by the local engine; only machines are made up.

testDatabase();
const call = api();
const dataDir = mkdtempSync(join(tmpdir(), 'neph-images-'));
const memory = new MemoryEngines();
let worker: Worker;
let acme: TestProject;

beforeAll(() => {
  const { images, storage } = openLocalEngine({ dataDir });
  replaceEngines({ ...memory, images, storage, probe: async () => [] });
  worker = startWorker({ steps: imageSteps, jobs: [], backoff: () => 20 });
});
afterAll(async () => {
  await worker.stop();
  await rm(dataDir, { recursive: true });
});
beforeEach(async () => {
  acme = await createProject('acme');
});

const MIB = 1024 ** 2;
const content = randomBytes(3 * MIB);
const sha256 = createHash('sha256').update(content).digest('hex');
const member = () => acme.users.member.token;
const raw = (query: string, body: Uint8Array | string) =>
  call('POST', `/images/images?${query}`, {
    token: member(),
    body,
    headers: { 'Content-Type': 'application/octet-stream' },
  });
const read = async (id: string) => (await call('GET', `/images/images/${id}`, { token: acme.users.reader.token })).body;
const becomes = (id: string, state: object) =>
  expect.poll(() => read(id), { timeout: 15_000, interval: 20 }).toMatchObject(state);
const remove = (id: string, token = member()) => call('DELETE', `/images/images/${id}`, { token });
const error = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });
const uploads = () => readdir(join(dataDir, 'engine', 'uploads')).catch(() => []);
const rows = () => prisma().image.count({ where: { project_id: acme.id } });

async function form(parts: [name: string, value: string | Uint8Array<ArrayBuffer>][]): Promise<Answer> {
  const data = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, new Blob([value]), 'disk.img');
  }
  return call('POST', '/images/images', { token: member(), ...(await sentForm(data)) });
}

async function active(): Promise<string> {
  const id = idOf(await raw('name=disk&format=RAW', content));
  await becomes(id, { status: 'active' });
  return id;
}

describe('an upload', () => {
  test('of raw bytes is taken over, with size, checksum and the disk that it needs', async () => {
    const answer = await raw('name=disk&format=RAW&min_ram_mb=128', content);
    expect([answer.status, answer.body]).toMatchObject([
      201,
      { name: 'disk', format: 'RAW', visibility: 'private', status: 'importing', checksum_sha256: sha256 },
    ]);
    const facts = { size_bytes: 3 * MIB, virtual_size_bytes: 3 * MIB, min_disk_gb: 1, min_ram_mb: 128 };
    await becomes(idOf(answer), { status: 'active', status_reason: null, checksum_sha256: sha256, ...facts });
    expect(await uploads()).toEqual([]);
    expect((await readFile(join(dataDir, 'engine', 'images', `${idOf(answer)}.raw`))).equals(content)).toBe(true);
  });

  test.each([
    [
      'before',
      [
        ['name', 'disk'],
        ['format', 'RAW'],
        ['file', content],
      ],
    ],
    [
      'after',
      [
        ['file', content],
        ['format', 'RAW'],
        ['name', 'disk'],
      ],
    ],
  ] as const)('of a form is taken over, with its fields %s the file', async (_, parts) => {
    const answer = await form(parts.map(([name, value]) => [name, value]));
    expect([answer.status, answer.body]).toMatchObject([201, { name: 'disk', checksum_sha256: sha256 }]);
    await becomes(idOf(answer), { status: 'active' });
  });

  test('that is not what it says ends in error with the reason, and nothing of it stays', async () => {
    const answer = await raw('name=liar&format=QCOW2', content);
    await becomes(idOf(answer), { status: 'error', status_reason: expect.stringMatching(/not a QCOW2 image/) });
    expect(await uploads()).toEqual([]);
  });

  test.each([
    ['a backing file', ['-u', '-b', '/etc/passwd', '-F', 'raw', 'FILE', '1M']],
    [
      'a backing file by a JSON name',
      ['-u', '-b', 'json:{"driver":"file","filename":"/etc/passwd"}', '-F', 'raw', 'FILE', '1M'],
    ],
    ['an external data file', ['-o', 'data_file=FILE.data,data_file_raw=on', 'FILE', '1M']],
    ['a disk of sixty terabytes', ['FILE', '60T']],
  ])('with %s is refused', async (_, options) => {
    const file = join(dataDir, newId());
    await run(['qemu-img', 'create', '-q', '-f', 'qcow2', ...options.map((option) => option.replace('FILE', file))]);
    const answer = await raw('name=hostile&format=QCOW2', await readFile(file));
    await becomes(idOf(answer), { status: 'error', status_reason: expect.stringMatching(/./) });
    expect(await readdir(join(dataDir, 'engine', 'images'))).not.toContain(`${idOf(answer)}.qcow2`);
  });

  test.each([
    ['without a name', 'format=RAW', /^name: /],
    ['without a format', 'name=disk', /^format: /],
    ['with an unknown format', 'name=disk&format=VMDK', /format: /],
  ])('%s is a bad request, before anything is taken', async (_, query, message) => {
    expect((await raw(query, content)).body).toMatchObject(error('INVALID_REQUEST', message));
  });

  test.each([
    [
      'without a file',
      [
        ['name', 'disk'],
        ['format', 'RAW'],
      ],
      /^file: /,
    ],
    [
      'without a name',
      [
        ['format', 'RAW'],
        ['file', content],
      ],
      /^name: /,
    ],
    [
      'with an unknown field',
      [
        ['name', 'disk'],
        ['format', 'RAW'],
        ['colour', 'blue'],
        ['file', content],
      ],
      /"colour"/,
    ],
    [
      'with a file of another name',
      [
        ['name', 'disk'],
        ['format', 'RAW'],
        ['disk', content],
      ],
      /^disk: /,
    ],
    [
      'with another file before it',
      [
        ['name', 'disk'],
        ['format', 'RAW'],
        ['disk', new TextEncoder().encode('x')],
        ['file', content],
      ],
      /^disk: /,
    ],
    [
      'with two files',
      [
        ['name', 'disk'],
        ['format', 'RAW'],
        ['file', content],
        ['file', content],
      ],
      /^file: /,
    ],
  ] as const)('of a form %s is a bad request, and nothing stays', async (_, parts, message) => {
    const answer = await form(parts.map(([name, value]) => [name, value]));
    expect(answer.body).toMatchObject(error('INVALID_REQUEST', message));
    expect([await uploads(), await rows()]).toEqual([[], 0]);
  });

  test('of a form that ends too early, or of nothing at all, is a bad request', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const body = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf';
    const cut = await call('POST', '/images/images', { token: member(), body, headers });
    expect(cut.body).toMatchObject(error('INVALID_REQUEST', /form is malformed/));
    expect((await raw('name=none&format=RAW', '')).body).toMatchObject(error('INVALID_REQUEST', /empty/));
    expect([await uploads(), await rows()]).toEqual([[], 0]);
  });

  test('that its sender breaks off leaves no file and no row', async () => {
    const app = serve(endpoints, authenticate);
    const abort = new AbortController();
    let arrived = () => {};
    const someArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(MIB));
        arrived();
        return new Promise(() => {});
      },
    });
    const init = { method: 'POST', body, duplex: 'half', signal: abort.signal };
    const headers = { authorization: `Bearer ${member()}`, 'content-type': 'application/octet-stream' };
    const request = new Request('http://localhost/api/v1/images/images?name=disk&format=RAW', { ...init, headers });
    const answer = app.fetch(request, { incoming: { socket: { remoteAddress: '127.0.0.1' } } });
    await someArrived;
    await expect.poll(uploads).toHaveLength(1);
    abort.abort();
    expect((await answer).status).toBe(400);
    expect([await uploads(), await rows()]).toEqual([[], 0]);
  });

  test('for which the host has no room is refused, and nothing stays', async () => {
    const { capacity } = memory;
    memory.capacity = { ...capacity, diskBytes: { ...capacity.diskBytes, free: 0 } };
    try {
      expect((await raw('name=disk&format=RAW', content)).body).toMatchObject(
        error('CAPACITY_EXHAUSTED', /no disk space/),
      );
    } finally {
      memory.capacity = capacity;
    }
    expect([await uploads(), await rows()]).toEqual([[], 0]);
  });
});

describe('deleting', () => {
  test('removes row and file', async () => {
    const id = await active();
    const answer = await remove(id);
    expect([answer.status, answer.body]).toMatchObject([202, { id, status: 'deleting' }]);
    await becomes(id, error('RESOURCE_NOT_FOUND', /./));
    await expect.poll(() => readdir(join(dataDir, 'engine', 'images'))).not.toContain(`${id}.raw`);
  });

  test('is refused while something stands on it, by name', async () => {
    await createCell();
    const id = await active();
    await launch(call, acme, { image_id: id });
    const body = { name: 'data', size_gb: 1, image_id: id };
    await call('POST', '/storage/volumes', { token: member(), body });
    expect(await read(id)).toMatchObject({ instance_count: 1, volume_count: 1 });
    expect((await remove(id)).body).toMatchObject(error('CONFLICT', /delete instance web, volume data first/));
  });

  test('what was made in the same moment keeps its image', async () => {
    await createCell();
    const id = await active();
    const instance = idOf(await launch(call, acme, { image_id: id }));
    await execute(sql`UPDATE instances SET image_id = ${TINY_IMAGE}::uuid, image_owner_id = '00000000-0000-0000-0000-000000000000'
      WHERE id = ${instance}::uuid`);
    await worker.stop();
    expect((await remove(id)).status).toBe(202);
    await execute(
      sql`UPDATE instances SET image_id = ${id}::uuid, image_owner_id = ${acme.id}::uuid WHERE id = ${instance}::uuid`,
    );
    worker = startWorker({ steps: imageSteps, jobs: [], backoff: () => 20 });
    await becomes(id, { status: 'active', status_reason: 'A resource has just been created from this image.' });
    expect(await readdir(join(dataDir, 'engine', 'images'))).toContain(`${id}.raw`);
  });

  test('a certified image is not a tenant’s to remove', async () => {
    expect((await remove(TINY_IMAGE)).body).toMatchObject(error('FORBIDDEN', /is public/));
  });

  test('what others make of a certified image is not told', async () => {
    await createCell();
    await launch(call, acme, {});
    const other = await createProject('other');
    const seen = async (project: TestProject) =>
      (await call('GET', `/images/images/${TINY_IMAGE}`, { token: project.users.reader.token })).body;
    expect(await seen(acme)).toMatchObject({ instance_count: 1 });
    expect(await seen(other)).toMatchObject({ instance_count: 0 });
  });

  test('another tenant’s image does not exist', async () => {
    const id = await active();
    const other = await createProject('other');
    expect((await remove(id, other.users.admin.token)).status).toBe(404);
    expect((await call('GET', `/images/images/${id}`, { token: other.users.admin.token })).status).toBe(404);
    const list = await call('GET', '/images/images', { token: other.users.reader.token });
    expect(list.text).not.toContain(id);
  });
});

test('every project sees the certified images, and can tell them from its own', async () => {
  const id = await active();
  const names = async (query: string) => {
    const { body } = await call('GET', `/images/images?${query}`, { token: acme.users.reader.token });
    return Array.isArray(body) ? body.map(({ name }) => name) : body;
  };
  expect(await names('visibility=public')).toEqual(['nephele-tiny', 'Ubuntu 24.04 LTS', 'Debian 13', 'Debian 12']);
  expect(await names('visibility=private')).toEqual(['disk']);
  expect(await names('search=debian&sort=name')).toEqual(['Debian 12', 'Debian 13']);
  expect(await read(id)).toMatchObject({ visibility: 'private' });
});
