import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { startWorker, type Worker } from '@/lib/core/operations/worker';
import { ownCell, settings } from '@/lib/settings';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { nestedBomb, overlappingBomb, zipOf } from '@/lib/testing/hostile-zip';
import { createCell } from '@/lib/testing/hosts';
import { idIn, layersOf } from '@/lib/testing/layer-world';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { createProject, type TestProject } from '@/lib/testing/world';
import { layerFolders, versionFolder } from './content';
import { requirementTrouble } from './requirements';
import { layerSteps } from './steps';
import { removeDeletedVersions, removeLeftFiles } from './work';

testDatabase();
let worker: Worker;
let acme: TestProject;
let other: TestProject;
beforeAll(async () => {
  useMemoryEngines();
  await createCell();
  worker = startWorker({ steps: layerSteps, jobs: [], backoff: () => 20 });
});
afterAll(() => worker.stop());
beforeEach(async () => {
  [acme, other] = await Promise.all([createProject('acme'), createProject('other')]);
});

const refusal = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });
const hello = (text = 'hello') => zipOf([{ name: 'python/greet.py', content: `TEXT = '${text}'\n` }]);

/** A layer with a version that can be used. */
async function published(project = acme, bytes = hello(newId())) {
  const layers = layersOf(project);
  const id = idIn(await layers.create(`layer ${newId()}`));
  const version = idIn(await layers.upload(id, bytes));
  await layers.becomes(id, version, { status: 'ready' });
  return { id, version };
}

describe('an archive', () => {
  test('becomes an immutable version: its files are there, and nobody may write them', async () => {
    const layers = layersOf(acme);
    const id = idIn(await layers.create('tools'));
    const bytes = zipOf([
      { name: 'bin/' },
      { name: 'bin/run', content: '#!/bin/sh\n', mode: 0o100755 },
      { name: 'python/greet.py', content: 'TEXT = 1\n' },
    ]);
    const answer = await layers.upload(id, bytes);
    expect([answer.status, answer.body]).toMatchObject([201, { version: 1, status: 'building', source: 'archive' }]);
    const version = idIn(answer);
    await layers.becomes(id, version, {
      status: 'ready',
      size_bytes: 19,
      file_count: 4,
      runtime: null,
      lockfile: null,
    });
    const [folder = ''] = await layerFolders(acme.id, [version]);
    expect(readFileSync(join(folder, 'python/greet.py'), 'utf8')).toBe('TEXT = 1\n');
    expect(statSync(join(folder, 'bin/run')).mode & 0o777).toBe(0o555);
    expect(statSync(join(folder, 'python/greet.py')).mode & 0o777).toBe(0o444);
    expect(readdirSync(join(settings().dataDir, 'layers', 'incoming'))).not.toContain(`${version}.zip`);
    expect((await layers.read(id)).body).toMatchObject({
      version_count: 1,
      latest_version: { id: version, version: 1 },
    });
  });

  test('that the layer has already is the version that it made', async () => {
    const layers = layersOf(acme);
    const { id, version } = await published(acme, hello('same'));
    const again = await layers.upload(id, hello('same'));
    expect([again.status, again.body]).toMatchObject([200, { id: version, version: 1 }]);
    expect((await layers.versions(id)).body).toHaveLength(1);
  });

  test('with the content of an earlier version gets its number, whatever the archive looks like', async () => {
    const layers = layersOf(acme);
    const entries = [
      { name: 'a.txt', content: 'a' },
      { name: 'b.txt', content: 'b' },
    ];
    const { id, version } = await published(acme, zipOf(entries));
    const again = idIn(await layers.upload(id, zipOf(entries.toReversed())));
    expect(again).not.toBe(version);
    await layers.becomes(id, again, { status: 'ready', version: 1, same_as: version });
    expect((await layers.versions(id)).body).toMatchObject([{ id: version }]);
    expect(await layerFolders(acme.id, [again])).toEqual([versionFolder(version)]);
    await expect.poll(() => existsSync(versionFolder(again))).toBe(false);
    const changed = idIn(await layers.upload(id, zipOf([{ name: 'a.txt', content: 'A' }])));
    await layers.becomes(id, changed, { status: 'ready', version: 3, same_as: null });
  });

  test.each([
    ['a path above the folder', [{ name: '../../etc/passwd', content: 'x' }]],
    ['a path that climbs inside', [{ name: 'python/../../x', content: 'x' }]],
    ['an absolute path', [{ name: '/etc/passwd', content: 'x' }]],
    ['a drive', [{ name: 'C:/x', content: 'x' }]],
    ['backslashes', [{ name: '..\\..\\x', content: 'x' }]],
    ['a link', [{ name: 'python/link', content: '/etc/passwd', mode: 0o120777 }]],
    ['a device', [{ name: 'python/null', mode: 0o020666 }]],
    ['a pipe', [{ name: 'python/pipe', mode: 0o010666 }]],
    [
      'the same path twice',
      [
        { name: 'a', content: '1' },
        { name: 'a', content: '2' },
      ],
    ],
    ['an encrypted entry', [{ name: 'a', content: '1', encrypted: true }]],
    ['an empty part of a path', [{ name: 'a//b', content: '1' }]],
    ['a bomb by its table', [{ name: 'a', content: Buffer.alloc(1000), claimed: 300 * 1024 ** 2 }]],
    ['no entry', []],
    ['too many entries', Array.from({ length: 30_001 }, (_, index) => ({ name: `f${index}` }))],
  ])('with %s is refused, and leaves nothing', async (_, entries) => {
    const layers = layersOf(acme);
    const id = idIn(await layers.create('hostile'));
    const answer = await layers.upload(id, zipOf(entries));
    expect([answer.status, answer.body]).toMatchObject([400, refusal('INVALID_REQUEST', /^archive: /)]);
    expect((await layers.versions(id)).body).toEqual([]);
    expect(readdirSync(join(settings().dataDir, 'layers', 'incoming'))).toEqual([]);
  });

  test.each([
    [
      'that unpacks to more than its table says',
      [{ name: 'bomb', content: Buffer.alloc(64 * 1024 ** 2), claimed: 10 }],
    ],
    [
      'of a file that is a folder too',
      [
        { name: 'a', content: '1' },
        { name: 'a/b', content: '2' },
      ],
    ],
  ])('%s ends in error, and nothing of it stays', async (_, entries) => {
    const layers = layersOf(acme);
    const id = idIn(await layers.create('hostile'));
    const version = idIn(await layers.upload(id, zipOf(entries)));
    await layers.becomes(id, version, { status: 'error', status_reason: expect.stringMatching(/archive/) });
    expect(existsSync(versionFolder(version))).toBe(false);
    expect(existsSync(`${versionFolder(version)}.new`)).toBe(false);
    await expect(layerFolders(acme.id, [version])).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('with archives in it, which hold 8 TB, is unpacked once and no further', async () => {
    const bomb = nestedBomb(5);
    const { version } = await published(acme, bomb);
    const files = readdirSync(versionFolder(version), { recursive: true, encoding: 'utf8' });
    expect(files.toSorted()).toEqual(Array.from({ length: 16 }, (_, n) => `lib ${n.toString(16)}.zip`));
    const sizes = files.map((name) => statSync(join(versionFolder(version), name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(16 * bomb.length);
  });

  test('that names the same bytes again and again is refused, or ends in error when it lies about them', async () => {
    const layers = layersOf(acme);
    const id = idIn(await layers.create('overlapping'));
    const content = Buffer.alloc(1024 ** 2);
    expect((await layers.upload(id, overlappingBomb(1000, content))).status).toBe(400);
    const version = idIn(await layers.upload(id, overlappingBomb(1000, content, 10)));
    await layers.becomes(id, version, { status: 'error', status_reason: expect.stringMatching(/archive/) });
    expect(existsSync(versionFolder(version))).toBe(false);
    expect(existsSync(`${versionFolder(version)}.new`)).toBe(false);
  });

  test('with a damaged entry leaves no file open', async () => {
    const damaged = zipOf([{ name: 'main.py', content: 'x' }]);
    // The table is whole; the entry itself does not begin with its signature (APPNOTE 4.3.7).
    damaged.write('XX', 0);
    const layers = layersOf(acme);
    const id = idIn(await layers.create('damaged'));
    const version = idIn(await layers.upload(id, damaged));
    await layers.becomes(id, version, { status: 'error', status_reason: expect.stringMatching(/damaged/) });
    const open = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    });
    expect(open.filter((path) => path.includes(version))).toEqual([]);
  });

  test('that is no zip, or no file at all, is refused', async () => {
    const layers = layersOf(acme);
    const id = idIn(await layers.create('odd'));
    expect((await layers.upload(id, Buffer.from('not a zip'))).body).toMatchObject(
      refusal('INVALID_REQUEST', /damaged/),
    );
    expect((await layers.upload(id, hello(), 'file')).body).toMatchObject(
      refusal('INVALID_REQUEST', /named "archive"/),
    );
  });

  test('after a field that is refused is refused, however large it is', async () => {
    const layers = layersOf(acme);
    const id = idIn(await layers.create('fields'));
    const data = new FormData();
    data.append('runtime', 'python3.11');
    data.append('archive', new Blob([Buffer.alloc(2_000_000)]), 'layer.zip');
    expect((await layers.send(id, data)).body).toMatchObject(refusal('INVALID_REQUEST', /^runtime: .* named archive/));
    expect(readdirSync(join(settings().dataDir, 'layers', 'incoming'))).toEqual([]);
  });

  test('larger than 50 MB is refused with 413', async () => {
    const layers = layersOf(acme);
    const id = idIn(await layers.create('large'));
    expect((await layers.upload(id, Buffer.alloc(50_000_001))).status).toBe(413);
    expect(readdirSync(join(settings().dataDir, 'layers', 'incoming'))).toEqual([]);
  });
});

describe('requirements', () => {
  test.each([
    ['python3.11', 'requests==2.32.3'],
    ['python3.11', 'requests[socks] >=2, <3'],
    ['python3.11', 'PyYAML'],
    ['nodejs24', 'lodash@4.17.21'],
    ['nodejs24', '@scope/name@^1.2.0'],
    ['nodejs20', 'left-pad'],
  ] as const)('%s: %s is taken', (runtime, text) => {
    expect(requirementTrouble(runtime, text)).toBeUndefined();
  });

  test.each([
    ['python3.11', '--index-url http://10.0.0.1/'],
    ['python3.11', '-e .'],
    ['python3.11', 'evil @ http://10.0.0.1/evil.whl'],
    ['python3.11', 'git+https://example.com/x'],
    ['python3.11', '/etc/passwd'],
    ['python3.11', 'requests; import os'],
    ['python3.11', 'requests\n--pre'],
    ['nodejs24', 'file:/etc'],
    ['nodejs24', 'https://example.com/x.tgz'],
    ['nodejs24', 'owner/repository'],
    ['nodejs24', 'lodash@npm:other'],
    ['nodejs24', '--ignore-scripts=false'],
  ] as const)('%s: %s is refused', async (runtime, text) => {
    const layers = layersOf(acme);
    const id = idIn(await layers.create('hostile'));
    const answer = await layers.require(id, runtime, text);
    expect([answer.status, answer.body]).toMatchObject([400, refusal('INVALID_REQUEST', /^requirements\.0: /)]);
  });

  test('for a runtime without a package index are refused', async () => {
    const layers = layersOf(acme);
    const id = idIn(await layers.create('deno'));
    expect((await layers.require(id, 'deno2', 'x')).body).toMatchObject(refusal('INVALID_REQUEST', /^runtime: /));
  });
});

describe('a shared layer', () => {
  test('is listed where it is shared, with its owner, and nowhere else', async () => {
    const { id, version } = await published();
    const [mine, theirs] = [layersOf(acme), layersOf(other)];
    expect((await theirs.read(id)).status).toBe(404);
    await expect(layerFolders(other.id, [version])).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect((await mine.share(id, { project_id: other.id })).status).toBe(201);
    expect((await theirs.list()).body).toEqual([]);
    expect((await theirs.list('?shared=with_me')).body).toMatchObject([
      { id, owner: acme.slug, is_own: false, shared_with: null, version_count: 1 },
    ]);
    expect((await theirs.versions(id)).body).toMatchObject([{ id: version, status: 'ready' }]);
    expect(await layerFolders(other.id, [version])).toEqual([versionFolder(version)]);
    expect((await mine.read(id)).body).toMatchObject({ is_own: true, shared_with: 1, is_public: false });
    expect((await mine.list('?shared=with_me')).body).toEqual([]);
  });

  test('is its owner’s alone to change, delete, share and publish', async () => {
    const { id, version } = await published();
    await layersOf(acme).share(id, { public: true });
    const theirs = layersOf(other);
    const answers = await Promise.all([
      theirs.remove(id),
      theirs.removeVersion(id, version),
      theirs.share(id, { public: true }),
      theirs.unshare(id, 'public=true'),
      theirs.permissions(id),
      theirs.upload(id, hello()),
      theirs.require(id, 'nodejs24', 'lodash'),
      theirs.log(id, version),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from(answers, () => 404));
  });

  test('with everyone is in every project’s public list, until that is taken back', async () => {
    const { id, version } = await published();
    const [mine, theirs] = [layersOf(acme), layersOf(other)];
    await mine.share(id, { public: true });
    const found = async () =>
      ((await theirs.list('?shared=public')).body as { id: string }[]).find((one) => one.id === id);
    expect(await found()).toMatchObject({ id, is_public: true });
    expect((await mine.unshare(id, 'public=true')).status).toBe(204);
    expect(await found()).toBeUndefined();
    await expect(layerFolders(other.id, [version])).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  test('goes on for a function that uses it when it is taken back, and new ones can’t', async () => {
    const { id, version } = await published();
    const functionId = newId();
    await layersOf(acme).share(id, { project_id: other.id });
    await execute(sql`INSERT INTO layer_uses (function_id, version_id, project_id)
      VALUES (${functionId}::uuid, ${version}::uuid, ${other.id}::uuid)`);
    await layersOf(acme).unshare(id, `project_id=${other.id}`);
    expect(await layerFolders(other.id, [version], functionId)).toEqual([versionFolder(version)]);
    await expect(layerFolders(other.id, [version])).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    await expect(layerFolders(other.id, [version], newId())).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    await expect(layerFolders(acme.id, [version], functionId)).resolves.toHaveLength(1);
  });

  test('answers a grant to any well-formed project id alike, and a repeated one as the first', async () => {
    const { id } = await published();
    const mine = layersOf(acme);
    const [real, unknown] = [
      await mine.share(id, { project_id: other.id }),
      await mine.share(id, { project_id: newId() }),
    ];
    expect([real.status, unknown.status]).toEqual([201, 201]);
    expect(Object.keys(real.body as object)).toEqual(Object.keys(unknown.body as object));
    expect((await mine.share(id, { project_id: other.id })).body).toEqual(real.body);
    expect((await mine.permissions(id)).body).toHaveLength(2);
    expect((await mine.share(id, { project_id: 'x' })).status).toBe(400);
    expect((await mine.share(id, {})).status).toBe(400);
    expect((await mine.share(id, { project_id: other.id, public: true })).status).toBe(400);
  });
});

describe('a deleted version', () => {
  test('stays for functions that use it, and its files go when none does', async () => {
    const { id, version } = await published();
    const functionId = newId();
    await execute(sql`INSERT INTO layer_uses (function_id, version_id, project_id)
      VALUES (${functionId}::uuid, ${version}::uuid, ${acme.id}::uuid)`);
    expect((await layersOf(acme).removeVersion(id, version)).status).toBe(204);
    expect((await layersOf(acme).versions(id)).body).toEqual([]);
    await expect(layerFolders(acme.id, [version])).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    await setTestClock(2 * 60 * 60_000);
    await removeDeletedVersions(ownCell());
    expect(await layerFolders(acme.id, [version], functionId)).toEqual([versionFolder(version)]);
    expect(existsSync(versionFolder(version))).toBe(true);
    await execute(sql`DELETE FROM layer_uses WHERE function_id = ${functionId}::uuid`);
    await removeDeletedVersions('another-cell');
    expect(existsSync(versionFolder(version))).toBe(true);
    await removeDeletedVersions(ownCell());
    expect(existsSync(versionFolder(version))).toBe(false);
    await setTestClock(0);
  });

  test('goes with its layer, and functions that use it go on', async () => {
    const { id, version } = await published();
    const functionId = newId();
    await execute(sql`INSERT INTO layer_uses (function_id, version_id, project_id)
      VALUES (${functionId}::uuid, ${version}::uuid, ${acme.id}::uuid)`);
    expect((await layersOf(acme).remove(id)).status).toBe(204);
    expect((await layersOf(acme).read(id)).status).toBe(404);
    expect(await layerFolders(acme.id, [version], functionId)).toEqual([versionFolder(version)]);
  });

  test('never gives its number to another content', async () => {
    const { id, version } = await published();
    await layersOf(acme).removeVersion(id, version);
    const next = idIn(await layersOf(acme).upload(id, hello(newId())));
    await layersOf(acme).becomes(id, next, { status: 'ready', version: 2 });
  });
});

test('files of no version go after a day, and those of versions stay', async () => {
  const { version } = await published();
  const before = readdirSync(join(settings().dataDir, 'layers', 'versions'));
  await setTestClock(2 * 24 * 60 * 60_000);
  await removeLeftFiles();
  expect(existsSync(versionFolder(version))).toBe(true);
  await query(sql`DELETE FROM layer_versions WHERE id = ${version}::uuid`);
  await removeLeftFiles();
  await setTestClock(0);
  expect(existsSync(versionFolder(version))).toBe(false);
  expect(before).toContain(version);
});

test('a name is taken once in a project', async () => {
  expect((await layersOf(acme).create('tools')).status).toBe(201);
  expect((await layersOf(acme).create('tools')).body).toMatchObject(refusal('CONFLICT', /already exists/));
  expect((await layersOf(other).create('tools')).status).toBe(201);
});

test('a project has fifty layers, also when all are created at once', async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => layersOf(acme).create(`layer ${index}`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
  expect(answers.find(({ status }) => status !== 201)?.body).toMatchObject(refusal('CONFLICT', /LAYERS_PER_PROJECT/));
});

test('versions that are published at once get numbers of their own', async () => {
  const layers = layersOf(acme);
  const id = idIn(await layers.create('busy'));
  const answers = await Promise.all(Array.from({ length: 8 }, () => layers.upload(id, hello(newId()))));
  const numbers = answers.map(({ body }) => (body as { version: number }).version).sort();
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});
