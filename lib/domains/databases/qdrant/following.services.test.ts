import { afterAll, beforeAll, expect, test } from 'vitest';
import { type QdrantMember, qdrantPair } from '@/lib/testing/qdrant-member';
import type { MemberRole } from './state';

/*
 * Members of two versions as processes of this test. The address of each is its own; the client's is the one that served first,
 * so that it notices no switch.
 */
let former: QdrantMember;
let next: QdrantMember;

beforeAll(async () => {
  ({ former, next } = await qdrantPair('0.8', '0.9'));
  next.follows = former.address;
  await Promise.all([former.start(), next.start()]);
}, 120_000);
afterAll(() => Promise.all([former?.remove(), next?.remove()]));

const send = (member: QdrantMember, method: string, path: string, body?: unknown) =>
  member.ask(path, { method }, body === undefined ? undefined : JSON.stringify(body));
async function ok(member: QdrantMember, method: string, path: string, body?: unknown): Promise<void> {
  const answer = await send(member, method, path, body);
  expect([path, answer.status, answer.body]).toEqual([path, 200, expect.anything()]);
}
const role = (member: QdrantMember) => member.platform<MemberRole>('GET', '/platform/role');

/** Waits until the follower has caught up with the leader. */
async function follows(follower: QdrantMember, leader: QdrantMember): Promise<void> {
  const behind = async () => {
    const [{ epoch, number }, { following }] = await Promise.all([role(leader), role(follower)]);
    const isThere = epoch !== null && following.epoch === epoch && following.number === number;
    return isThere && following.pending === 0 ? null : { epoch, number, following };
  };
  await expect.poll(behind, { timeout: 60_000, interval: 20 }).toBeNull();
}

let term = 0;
/** Clients go from one member to the other. */
async function move(from: QdrantMember, to: QdrantMember): Promise<void> {
  term += 1;
  await from.platform('POST', `/platform/stop?term=${term}`);
  await follows(to, from);
  await to.platform('POST', `/platform/lead?term=${term}`);
  await from.platform('POST', `/platform/follow?term=${term}&leader=${to.address}`);
}

type Point = { id: number | string; payload: unknown; vector: unknown };
/** All that a member has itself, whatever it would pass on. */
async function contents(member: QdrantMember): Promise<unknown> {
  const known = await Promise.all(
    ['things', 'others'].map(async (name) => {
      const found = await member.platform<{ points: Point[] }>('POST', `/collections/${name}/points/scroll`, {
        limit: 10_000,
        with_vector: true,
        with_payload: true,
      });
      return found.points;
    }),
  );
  const { aliases } = await member.platform<{ aliases: unknown }>('GET', '/aliases');
  return [...known, aliases];
}

const NAMES = ['red', 'green', 'blue'];
/** A random change, the same for the same number. */
function change(seed: number): [string, string, unknown] {
  const at = (most: number, salt: number) => Math.abs(Math.imul(seed + 1, 2_654_435_761 + salt * 40_503) >> 7) % most;
  const id = at(2, 1) ? at(80, 2) : `00000000-0000-4000-8000-${String(at(40, 3)).padStart(12, '0')}`;
  const ids = [id, at(80, 4)];
  const filter = { must: [{ key: 'colour', match: { value: NAMES[at(3, 5)] } }] };
  const dense = [at(9, 6) + 1, at(9, 7), 1];
  const sparse = { indices: [at(50, 8), at(50, 9) + 60], values: [0.5, at(9, 10) + 0.25] };
  const payload = { colour: NAMES[at(3, 11)], number: at(1_000, 12) };
  const kinds: [string, string, unknown][] = [
    ['PUT', '', { points: ids.map((one) => ({ id: one, vector: { dense, sparse }, payload })) }],
    ['PUT', '', { batch: { ids, vectors: { dense: [dense, dense] }, payloads: [payload, null] } }],
    ['POST', '/delete', { points: ids }],
    ['POST', '/delete', { filter: { must: [...filter.must, { key: 'number', range: { lt: 150 } }] } }],
    ['POST', '/payload', { payload: { extra: seed }, filter }],
    ['PUT', '/payload', { payload, points: ids }],
    ['POST', '/payload/delete', { keys: ['extra'], filter }],
    ['POST', '/payload/clear', { points: [id] }],
    ['POST', '/vectors/delete', { points: ids, vector: ['sparse'] }],
  ];
  return kinds[at(kinds.length, 13)] ?? ['GET', '', undefined];
}

/** A change that names a point which is not there ends in its middle. */
async function changed(method: string, path: string, body: unknown): Promise<void> {
  const answer = await send(former, method, `/collections/things/points${path}`, body);
  if (answer.status !== 404) expect([path, answer.status, answer.body]).toEqual([path, 200, expect.anything()]);
}

test('a follower of the newer version has everything, also what changes while it copies', async () => {
  const vectors = { dense: { size: 3, distance: 'Cosine' } };
  await ok(former, 'PUT', '/collections/things', { vectors, sparse_vectors: { sparse: {} } });
  await ok(former, 'PUT', '/collections/others', { vectors: { size: 2, distance: 'Dot' } });
  const many = Array.from({ length: 3_000 }, (_, id) => ({
    id,
    vector: [id, 1],
    payload: { id, text: 'x'.repeat(50) },
  }));
  await ok(former, 'PUT', '/collections/others/points', { points: many });
  await ok(former, 'PUT', '/collections/things/index', { field_name: 'colour', field_schema: 'keyword' });
  for (let seed = 0; seed < 300; seed += 1) {
    const [method, path, body] = change(seed);
    await changed(method, path, body);
  }
  const aliases = [{ create_alias: { collection_name: 'others', alias_name: 'second' } }];
  await ok(former, 'POST', '/collections/aliases', { actions: aliases });
  await follows(next, former);
  expect(await contents(next)).toEqual(await contents(former));
}, 120_000);

test('a switch under writes loses none of them and refuses none, and so does the way back', async () => {
  for (const [from, to] of [
    [former, next],
    [next, former],
  ] as const) {
    const acknowledged: number[] = [];
    const errors: string[] = [];
    let isEnding = false;
    const write = async (first: number) => {
      for (let id = first; !isEnding; id += 2) {
        const answer = await send(from, 'PUT', '/collections/others/points', { points: [{ id, vector: [id, 2] }] });
        if (answer.status === 200) acknowledged.push(id);
        else errors.push(answer.body);
      }
    };
    const begun = from === former ? 100_000 : 200_000;
    const writers = [write(begun), write(begun + 1)];
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(50);
    await move(from, to);
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(before + 50);
    isEnding = true;
    await Promise.all(writers);
    expect(errors).toEqual([]);
    await follows(from, to);
    const answer = await send(from, 'POST', '/collections/others/points', { ids: acknowledged, with_payload: false });
    expect(JSON.parse(answer.body).result.length).toBe(acknowledged.length);
    expect(await contents(from)).toEqual(await contents(to));
  }
}, 120_000);

test('a question that waited over two switches skips nothing of the history that began meanwhile', async () => {
  const { epoch, number } = await role(former);
  const asked = former.platform<{ epoch: string; number: number; is_reset: boolean }>(
    'GET',
    `/platform/feed?epoch=${epoch}&number=${number}&wait=2`,
  );
  await move(former, next);
  await move(next, former);
  for (let id = 300_000; id < 300_005; id += 1)
    await ok(former, 'PUT', '/collections/others/points', { points: [{ id, vector: [id, 2] }] });
  expect(await asked).toMatchObject({ is_reset: true });
  await follows(next, former);
  expect(await contents(next)).toEqual(await contents(former));
}, 120_000);

test('deletions reach a follower that was away, even after the serving member was killed', async () => {
  await next.kill('SIGKILL');
  for (let seed = 1_000; seed < 1_100; seed += 1) {
    const [method, path, body] = change(seed);
    await changed(method, path, body);
  }
  await ok(former, 'POST', '/collections/others/points/delete', { points: [5, 6, 2_999, 100_000] });
  await next.start();
  await follows(next, former);
  expect(await contents(next)).toEqual(await contents(former));
  await former.kill('SIGKILL');
  await former.start();
  await ok(former, 'POST', '/collections/others/points/delete', { points: [7] });
  await follows(next, former);
  expect(await contents(next)).toEqual(await contents(former));
}, 120_000);

test('a collection that is made anew under its name is copied anew, and settings, indexes and vectors go along', async () => {
  await ok(former, 'DELETE', '/collections/others');
  await ok(former, 'PUT', '/collections/others', { vectors: { size: 3, distance: 'Dot' } });
  await ok(former, 'PUT', '/collections/others/points', { points: [{ id: 1, vector: [1, 2, 3] }] });
  await ok(former, 'PATCH', '/collections/others', { optimizers_config: { indexing_threshold: 5_000 } });
  await ok(former, 'PUT', '/collections/others/index', { field_name: 'a', field_schema: 'integer' });
  await ok(former, 'DELETE', '/collections/things/index/colour');
  await follows(next, former);
  expect(await contents(next)).toEqual(await contents(former));
  for (const name of ['things', 'others']) {
    const [one, other] = await Promise.all(
      [former, next].map((member) => member.platform<Record<string, unknown>>('GET', `/collections/${name}`)),
    );
    expect([other?.config, other?.payload_schema]).toEqual([one?.config, one?.payload_schema]);
  }
}, 120_000);

test('a follower that has not copied everything cannot be made to serve, nor does a former decision undo a later one', async () => {
  await next.platform('POST', `/platform/follow?term=${term}&leader=${former.address}`);
  await expect(next.platform('POST', `/platform/lead?term=${term - 1}`)).rejects.toThrow(/been told of decision/);
  expect((await role(next)).follows).toBe(former.address);
  const vectors = { size: 2, distance: 'Dot' };
  await ok(former, 'PUT', '/collections/large', { vectors });
  for (let begin = 0; begin < 30_000; begin += 10_000) {
    const points = Array.from({ length: 10_000 }, (_, index) => ({ id: begin + index, vector: [index, 1] }));
    await ok(former, 'PUT', '/collections/large/points', { points });
  }
  await next.kill('SIGKILL');
  await next.start();
  await expect
    .poll(async () => (await role(next)).following.pending, { timeout: 20_000, interval: 5 })
    .toBeGreaterThan(0);
  await expect(next.platform('POST', `/platform/lead?term=${term}`)).rejects.toThrow(/not yet copied everything/);
  await follows(next, former);
}, 120_000);

test('only members of the cluster can read the feed of changes', async () => {
  for (const [headers, status] of [
    [{ 'api-key': 'first' }, 401],
    [{ 'peer-key': 'first' }, 401],
    [{}, 401],
    [{ 'peer-key': 'peers' }, 200],
  ] as const)
    expect([headers, (await former.ask('/platform/structure', { headers })).status]).toEqual([headers, status]);
  const command = { method: 'POST', headers: { 'peer-key': 'peers' } };
  expect((await former.ask('/platform/stop?term=99', command)).status).toBe(401);
});
