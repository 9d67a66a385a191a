import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { qdrantCores } from '@/lib/engines/local/catalogue/qdrant';
import { type QdrantMember, qdrantMember } from '@/lib/testing/qdrant-member';

describe.each(Object.keys(qdrantCores))('a member with the core %s', (version) => {
  let member: QdrantMember;

  beforeAll(async () => {
    member = await qdrantMember(version);
    await member.start(version);
  });
  afterAll(() => member.remove());

  const put = (path: string, body: unknown) => member.ask(path, { method: 'PUT' }, JSON.stringify(body));
  const post = (path: string, body: unknown) => member.ask(path, { method: 'POST' }, JSON.stringify(body));
  const create = (name: string) => put(`/collections/${name}`, { vectors: { size: 4, distance: 'Cosine' } });
  const countOf = async (name: string): Promise<unknown> =>
    JSON.parse((await post(`/collections/${name}/points/count`, {})).body).result.count;

  test('every acknowledged write is there after a kill in the midst of writes, a collection and an alias too', async () => {
    expect((await create('kept')).status).toBe(200);
    const alias = { create_alias: { collection_name: 'kept', alias_name: 'other' } };
    expect((await post('/collections/aliases', { actions: [alias] })).status).toBe(200);
    const acknowledged: number[] = [];
    const write = async (id: number) => {
      const vector = [1, id, 2, 3];
      const answer = await put('/collections/kept/points?wait=true', { points: [{ id, vector, payload: { id } }] });
      if (answer.status === 200) acknowledged.push(id);
    };
    const writer = (async () => {
      for (let id = 1; ; id += 1) await write(id);
    })().catch(() => undefined);
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(100);
    await member.kill('SIGKILL');
    await writer;
    await member.start();
    const found = JSON.parse((await post('/collections/other/points', { ids: acknowledged })).body).result;
    expect(found.map(({ id }: { id: number }) => id)).toEqual(acknowledged);
  });

  test('a refused write leaves nothing that a start would repeat', async () => {
    await create('strict');
    const wrongSize = { points: [{ id: 1, vector: [1, 2, 3] }] };
    const answer = await put('/collections/strict/points', wrongSize);
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('expected dim: 4, got 3') });
    await member.kill('SIGKILL');
    await member.start();
    expect(await countOf('strict')).toBe(0);
  });

  test('a snapshot of all collections fails rather than being without one that cannot be opened', async () => {
    await create('whole');
    await member.kill('SIGTERM');
    const folder = join(member.folder, 'state/qdrant/collections');
    const own = readdirSync(folder).find((name) =>
      readFileSync(join(folder, name, 'collection.json'), 'utf8').includes('"whole"'),
    );
    const [shard, aside] = [join(folder, own ?? '', 'shard'), join(member.folder, 'aside')];
    renameSync(shard, aside);
    await member.start();
    expect(await post('/snapshots', {})).toMatchObject({
      status: 500,
      body: expect.stringContaining('cannot be opened'),
    });
    await member.kill('SIGTERM');
    rmSync(shard, { recursive: true, force: true });
    renameSync(aside, shard);
    await member.start();
    expect((await post('/snapshots', {})).status).toBe(200);
  });

  test('only the present key opens anything but the health checks, and a new one ends the former', async () => {
    const status = async (key?: string) =>
      (await member.ask('/collections', { headers: key === undefined ? {} : { 'api-key': key } })).status;
    expect([await status(), await status('wrong'), await status(''), await status('first')]).toEqual([
      401, 401, 401, 200,
    ]);
    expect((await member.ask('/collections', { headers: { authorization: 'Bearer first' } })).status).toBe(200);
    member.setKeys('second');
    await expect.poll(() => status('second')).toBe(200);
    expect(await status('first')).toBe(401);
    member.setKeys('first');
    await expect.poll(() => status('first')).toBe(200);
  });

  test.each([
    ['a path', '/collections/..%2f..%2fetc', 'PUT', { vectors: { size: 4, distance: 'Dot' } }, 422],
    ['a name of control characters', '/collections/a%00b', 'PUT', { vectors: { size: 4, distance: 'Dot' } }, 422],
    [
      'a name of 256 characters',
      `/collections/${'x'.repeat(256)}`,
      'PUT',
      { vectors: { size: 4, distance: 'Dot' } },
      422,
    ],
    ['too many dimensions', '/collections/huge', 'PUT', { vectors: { size: 10 ** 9, distance: 'Dot' } }, 422],
    ['an unknown distance', '/collections/huge', 'PUT', { vectors: { size: 4, distance: 'Far' } }, 400],
    [
      'a snapshot from an address',
      '/collections/kept/snapshots/recover',
      'PUT',
      { location: 'http://127.0.0.1/x' },
      400,
    ],
    [
      'a snapshot from a file of the host',
      '/collections/kept/snapshots/recover',
      'PUT',
      { location: 'file:///etc/passwd' },
      404,
    ],
    ['a snapshot by a path', '/collections/kept/snapshots/..%2f..%2faliases.json', 'GET', null, 404],
    ['a filter of no kind', '/collections/kept/points/count', 'POST', { filter: { all: [] } }, 400],
    ['an id that is none', '/collections/kept/points', 'POST', { ids: ['../1'] }, 400],
    ['an id below zero', '/collections/kept/points', 'POST', { ids: [-1] }, 400],
    ['a method that is none', '/collections/kept', 'POST', {}, 405],
  ])('%s is refused, and the member goes on', async (_, path, method, body, status) => {
    const answer = await member.ask(path, { method }, body === null ? undefined : JSON.stringify(body));
    expect(answer).toMatchObject({ status });
    expect(answer.body).not.toMatch(/Traceback|root:/);
    expect((await member.ask('/readyz')).status).toBe(200);
  });

  test.each([
    ['nesting', `{"filter":${'{"must":['.repeat(50_000)}${']}'.repeat(50_000)}}`],
    ['a number of ten thousand digits', `{"limit":${'9'.repeat(10_000)}}`],
    ['a number that is infinite', '{"query":[1e999,1,1,1]}'],
    ['a word that is no number', '{"query":[NaN,1,1,1]}'],
    ['half a body', '{"query":[1,'],
  ])('%s in a body is refused with 400', async (_, body) => {
    const answer = await member.ask('/collections/kept/points/query', { method: 'POST' }, body);
    expect(answer).toMatchObject({ status: 400 });
  });

  test('a limit far beyond what there is reserves no memory', async () => {
    const answer = await post('/collections/kept/points/query', { query: [1, 1, 1, 1], limit: 2 ** 53, offset: 1 });
    expect(answer.status).toBe(200);
  });

  test('a body of more than 32 MB is refused before it is read', async () => {
    const headers = { 'api-key': 'first', 'content-length': String(33 * 1024 * 1024) };
    const answer = await member
      .ask('/collections/kept/points', { method: 'PUT', headers }, '{')
      .catch(() => ({ status: 413 }));
    expect(answer.status).toBe(413);
  });

  const form = (file: Buffer | string) =>
    Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="snapshot"; filename="s"\r\n\r\n'),
      Buffer.from(file),
      Buffer.from('\r\n--b--\r\n'),
    ]);
  const upload = (name: string, file: Buffer | string) =>
    member.ask(
      `/collections/${name}/snapshots/upload`,
      { method: 'POST', headers: { 'api-key': 'first', 'content-type': 'multipart/form-data; boundary=b' } },
      form(file),
    );

  /** An archive of one empty file. */
  function archive(name: string, kind = '0', target = ''): Buffer {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write('0000644\x000000000\x000000000\x0000000000000\x0000000000000\0        ', 100);
    header.write(kind, 156);
    header.write(target, 157);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return Buffer.concat([header, Buffer.alloc(1024)]);
  }

  test.each([
    ['a path that leaves its folder', archive('../../../escaped')],
    ['an absolute path', archive('/tmp/neph-qdrant-escaped')],
    ['a link', archive('shard', '2', '/etc')],
    ['a device', archive('collection.json', '3')],
    ['something else', Buffer.from('no archive')],
  ])('an uploaded snapshot with %s is refused, and the collection stays', async (_, file) => {
    const before = await countOf('kept');
    expect((await upload('kept', file)).status).toBe(400);
    expect(await countOf('kept')).toBe(before);
    expect(existsSync('/tmp/neph-qdrant-escaped') || existsSync(join(member.folder, 'state/escaped'))).toBe(false);
  });

  test('a snapshot restores the collection as it was', async () => {
    await create('back');
    await put('/collections/back/points?wait=true', { points: [{ id: 1, vector: [1, 2, 3, 4], payload: { a: 1 } }] });
    const { name } = JSON.parse((await post('/collections/back/snapshots', {})).body).result;
    await post('/collections/back/points/delete?wait=true', { points: [1] });
    expect(await countOf('back')).toBe(0);
    const location = `file:///snapshots/${name}`;
    expect((await put('/collections/back/snapshots/recover', { location })).status).toBe(200);
    expect(await countOf('back')).toBe(1);
  });
});
