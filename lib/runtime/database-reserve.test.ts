import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { closePool } from '@/lib/core/db/pool';
import { fullMarker } from '@/lib/core/db/room';
import { readyz } from '@/lib/platform/health';
import { setTestClock } from '@/lib/testing/clock';
import { api, createProject, createUser, type TestProject, type TestUser } from '@/lib/testing/world';
import { dropReserve, tendReserve } from './database-reserve';
import { type PostgresServer, postgresUrl, startPostgres } from './postgres';

const MIB = 1024 ** 2;
const folder = mkdtempSync(join(tmpdir(), 'nephele-full-'));
chmodSync(folder, 0o711);
/** A separate small disk that can be filled safely; needs root. */
const hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=320m,mode=711', 'tmpfs', folder]).status === 0;
const directory = join(folder, 'postgres');
Object.assign(process.env, { DATA_DIR: folder, DATABASE_URL: postgresUrl(directory, 'x', 'postgres') });
const reserve = { dataDir: folder, bytes: 24 * MIB, lowBytes: 6 * MIB };
const reserveFile = join(folder, 'database-reserve');
const filler = join(folder, 'filler');

/** Fills the rest of the disk. */
const fill = () => spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k', 'oflag=append', 'conv=notrunc']);

describe.runIf(hasDisk)('a full disk', () => {
  let server: PostgresServer;
  let acme: TestProject;
  let administrator: TestUser;
  const call = api();

  beforeAll(async () => {
    server = await startPostgres({ directory, password: 'x', durable: false, log: () => {} });
    await migrate(server.url('postgres'));
    cpSync(join(inject('dataDir'), 'keys'), join(folder, 'keys'), { recursive: true });
    acme = await createProject('acme');
    administrator = await createUser('root@example.test', 'backoffice');
  }, 60_000);
  afterAll(async () => {
    await closePool();
    await server?.stop();
    spawnSync('umount', ['-l', folder]);
  });

  let made = 0;
  const create = () =>
    call('POST', '/vault/secrets', {
      token: acme.users.member.token,
      // Incompressible, so that a few of them fill the disk.
      body: { name: `s-${++made}`, type: 'opaque', payload: randomText(), payload_encoding: 'base64' },
    });
  const remove = async () => {
    const { token } = acme.users.member;
    const [first] = (await call('GET', '/vault/secrets?limit=1', { token })).body as { id: string }[];
    return call('DELETE', `/vault/secrets/${first?.id}`, { token });
  };

  test('gives 503 with Retry-After; the reserve lets deletes through, and is rebuilt when there is room', async () => {
    expect(await tendReserve(reserve)).toBe(false);
    expect(statSync(reserveFile).blocks * 512).toBeGreaterThanOrEqual(reserve.bytes);
    for (let count = 0; count < 3; count++) expect((await create()).status).toBe(201);

    fill();
    let answer = await create();
    for (let tries = 0; answer.status === 201 && tries < 500; tries++) answer = await create();
    expect(answer.body).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', status: 503 } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);

    expect(await tendReserve(reserve)).toBe(true);
    expect(existsSync(reserveFile)).toBe(false);
    expect((await remove()).status).toBe(204);
    // Long after the last failed statement, the marker alone refuses creates.
    await setTestClock(60_000);
    const refused = await create();
    expect(refused.body).toMatchObject({
      error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('no disk space left') },
    });
    expect(refused.headers.get('retry-after')).toBe('30');
    expect((await remove()).status).toBe(204);

    const ready = await readyz();
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      status: 'degraded',
      database: 'its disk is full',
      engines: [{ engine: 'database', status: 'degraded' }],
    });
    const engines = await call('GET', '/admin/api/v1/engines', { token: administrator.token });
    expect(engines.body).toMatchObject([{ engine: 'database', status: 'degraded' }]);

    rmSync(filler);
    expect(await tendReserve(reserve)).toBe(false);
    expect(statSync(reserveFile).size).toBe(reserve.bytes);
    expect((await create()).status).toBe(201);
    expect(await (await readyz()).json()).toMatchObject({ status: 'ok', database: 'ok' });
  }, 120_000);
});

describe('the reserve', () => {
  const small = { ...reserve, dataDir: join(tmpdir(), `nephele-reserve-${process.pid}`) };
  beforeAll(() => void mkdirSync(small.dataDir));
  afterAll(() => rmSync(small.dataDir, { recursive: true }));

  test('stays away while there is only just enough room for it', async () => {
    const huge = { ...small, bytes: 2 ** 50, lowBytes: 1 };
    expect(await tendReserve(huge)).toBe(false);
    expect(existsSync(join(small.dataDir, 'database-reserve'))).toBe(false);
    // Once full, the disk counts as full until the reserve is complete again.
    writeFileSync(fullMarker(small.dataDir), '');
    expect(await tendReserve(huge)).toBe(true);
  });

  test('and its marker are removed when the database runs elsewhere', async () => {
    writeFileSync(fullMarker(small.dataDir), '');
    dropReserve(small.dataDir);
    expect(existsSync(fullMarker(small.dataDir))).toBe(false);
  });
});

function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32 * 1024))).toString('base64');
}
