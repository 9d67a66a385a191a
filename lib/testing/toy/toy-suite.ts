import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { reasonOf } from '@/lib/engines/error';
import { fetchProgram } from '@/lib/engines/local/catalogue/store';
import { describeHost, type Host } from '@/lib/engines/local/host';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { endProcess, findProcesses } from '@/lib/engines/local/processes';
import { serviceTrouble } from '@/lib/engines/local/services/limits';
import { LocalServices } from '@/lib/engines/local/services/local-services';
import { removeVolatile } from '@/lib/engines/local/services/volatile';
import { settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf } from '@/lib/testing/machines';
import { logOf } from '@/lib/testing/operations';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { memoryMbOf, shell, toyProgram } from './member-spec';
import { endpoints } from './platform';
import { createToyTables } from './tables';

type Member = { id: string; ordinal: number; is_active: boolean; version: number };

/** Runs toys with the real engines of this user, on the data folder of this test file. */
export async function toySuite(user: string): Promise<void> {
  testDatabase();
  const cacheDir = join(tmpdir(), `nephele-test-cache-${process.getuid?.()}`);
  const options = { dataDir: settings().dataDir, cacheDir };
  const host = describeHost(options);
  const trouble = (await serviceTrouble(host)) ?? (await fetchProgram(host, toyProgram).then(() => null, reasonOf));
  if (trouble !== null && process.env.CI) throw new Error(trouble);
  const skipped = trouble === null ? '' : ` (skipped: ${trouble})`;
  describe.skipIf(trouble !== null)(`a domain of services, as ${user}${skipped}`, () => toysOn(host, options));
}

function toysOn(host: Host, options: { dataDir: string; cacheDir: string }): void {
  const services = new LocalServices(host, [toyProgram]);
  const call = api(endpoints);
  let project: TestProject;
  let network: string;
  let group: string;

  beforeAll(async () => {
    await createToyTables();
    await createCell(settings().hostId, { memory_mb: 10_000 });
    project = await createProject('toys');
    await ensureProjectNetworking(project.id);
    network = await defaultNetwork(project);
    const { token } = project.users.admin;
    group = idOf(await call('POST', '/network/security-groups', { token, body: { name: 'toys' } }));
    const rule = {
      direction: 'ingress',
      protocol: 'tcp',
      port_range_min: 8443,
      port_range_max: 8443,
      cidr: '10.0.0.0/8',
    };
    const ruled = await call('POST', `/network/security-groups/${group}/rules`, { token, body: rule });
    const egress = { direction: 'egress', protocol: 'any', cidr: '0.0.0.0/0' };
    const out = await call('POST', `/network/security-groups/${group}/rules`, { token, body: egress });
    expect([ruled.status, [201, 409].includes(out.status)]).toEqual([201, true]);
  }, 60_000);

  const outside = createServer((_, response) => response.end('hello'));
  let port = 0;
  beforeAll(async () => {
    await once(outside.listen(0, '127.0.0.1'), 'listening');
    const address = outside.address();
    port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  });
  afterAll(() => outside.close());

  const processes = new Set<ChildProcess>();
  // A worker left by a failed test would take the next test's work.
  afterEach(async () => {
    for (const child of processes) await end(child);
  });
  afterAll(async () => {
    for (const child of processes) child.kill('SIGKILL');
    for (const { id } of await services.observeServices()) await services.removeService(id);
    const { network: networks } = openLocalEngine(options);
    for (const { id } of await networks.observeRouters()) await networks.removeRouter(id);
    for (const process of findProcesses(host)) await endProcess(process);
    await removeVolatile(host);
  }, 120_000);

  /** A separate worker process; with `killAt` it kills itself at the start of that stage. */
  async function startProcess(killAt = ''): Promise<ChildProcess> {
    const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/toy/worker.ts'], {
      env: { ...process.env, KILL_AT: killAt, TOY_CACHE: options.cacheDir, TOY_OUTSIDE: String(port) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    processes.add(child);
    child.once('exit', () => processes.delete(child));
    await once(child, 'message');
    return child;
  }

  async function end(child: ChildProcess): Promise<void> {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  const as = () => project.users.member.token;
  const until = (condition: () => Promise<void>) => vi.waitFor(condition, { timeout: 90_000, interval: 100 });
  const stateOf = async (id: string) => (await call('GET', `/test/toys/${id}`, { token: as() })).body;
  const untilStatus = (id: string, status: string) =>
    until(async () => expect(await stateOf(id)).toMatchObject({ status }));
  const membersOf = (id: string) =>
    query<Member>(sql`SELECT m.id, m.ordinal, m.version, t.active_member = m.ordinal AS is_active
      FROM toy_members m JOIN toys t ON t.id = m.toy_id WHERE t.id = ${id}::uuid ORDER BY m.ordinal`);

  async function create(name: string): Promise<string> {
    const asked = { name, network_id: network, security_group_ids: [group] };
    const { status, body } = await call('POST', '/test/toys', { token: as(), body: asked });
    expect([status, body]).toMatchObject([201, { name, status: 'creating' }]);
    return (body as { id: string }).id;
  }

  const inside = async (member: Member | undefined, command: string) =>
    (await services.runInside(member?.id ?? '', [...shell, command])).stdout.trim();

  /** Writes on the active member, and waits until the other one has the note: by the toy's name, over TLS. */
  async function expectCopied(id: string, note: string): Promise<void> {
    const members = await membersOf(id);
    await until(async () => {
      const active = members.find(({ is_active }) => is_active);
      // A member's loop copies from itself too, and may have put the former note back.
      if ((await inside(active, 'cat /state/notes')) !== note) await inside(active, `echo ${note} > /state/notes`);
      const notes = await Promise.all(members.map((member) => inside(member, 'cat /state/notes')));
      expect(notes).toEqual(members.map(() => note));
    });
  }

  const reserved = () =>
    queryOne<{ counted: number; held: number; databases: string }>(sql`
      SELECT c.memory_mb_reserved AS counted, (SELECT coalesce(sum(r.amount), 0)::int FROM reservations r WHERE r.kind = 'memory_mb') AS held,
        (SELECT trim_scale(databases_used)::text FROM project_accounts WHERE project_id = ${project.id}::uuid) AS databases FROM cells c`);

  async function expectNothingLeft(): Promise<void> {
    expect(await reserved()).toEqual({ counted: 0, held: 0, databases: '0' });
    // The next look removes what a look has started again during the deletion.
    await until(async () => expect(await services.observeServices()).toEqual([]));
    expect(await query(sql`SELECT FROM devices WHERE kind NOT IN ('network', 'router')`)).toEqual([]);
    for (const table of ['toys', 'toy_members', 'ports', 'network_names', 'service_authorities']) {
      expect([table, await query(sql`SELECT FROM ${raw(table)}`)]).toEqual([table, []]);
    }
  }

  it('answers at its own address by name and over TLS, upgrades with reserved room, and is deleted without a trace', {
    timeout: 300_000,
  }, async () => {
    const worker = await startProcess();
    const id = await create('notes');
    await untilStatus(id, 'active');
    await expectCopied(id, 'one');

    const [first, second] = await membersOf(id);
    const password = await inside(first, 'cat /etc/service/password');
    expect(password).toMatch(/^[0-9a-f]{32}$/);
    expect(spawnSync('grep', ['-rlsI', password, join(host.directory, 'services')], { encoding: 'utf8' }).stdout).toBe(
      '',
    );
    const { lines } = await services.readLog(second?.id ?? '', null, 10);
    expect(lines.map(({ message }) => message)).toContain('member 2 runs version 1');
    expect(await reserved()).toEqual({ counted: 2 * memoryMbOf(1), held: 2 * memoryMbOf(1), databases: '1' });

    await until(async () => expect(await inside(second, `curl -s http://outside.test:${port}/`)).toBe('hello'));
    await until(async () => {
      const billed = await queryOne(sql`SELECT resource_type, resource_name, quantity > 0 AS counted FROM usage_events
        WHERE resource_id = ${id}::uuid AND metric = 'network_egress' LIMIT 1`);
      expect(billed).toEqual({ resource_type: 'toy', resource_name: 'notes', counted: true });
    });

    await execute(sql`UPDATE cells SET memory_mb_usable = ${memoryMbOf(1) + memoryMbOf(2)}::int`);
    const ordered = await call('POST', `/test/toys/${id}/upgrade`, { token: as(), body: { version: 2 } });
    expect(ordered.status).toBe(202);
    // The first member to be upgraded takes the remaining room, and the other one waits for more.
    await until(async () => expect((await logOf(first?.id ?? '')).join()).toContain('reserve'));
    await until(async () => {
      const waiting =
        await queryOne(sql`SELECT error FROM operations WHERE resource_id = ${first?.id}::uuid AND status = 'pending'
        OR resource_id = ${first?.id}::uuid AND status = 'running' AND error IS NOT NULL`);
      expect(waiting).toMatchObject({ error: expect.stringContaining('room for 128 MB of memory') });
    });
    expect(await stateOf(id)).toMatchObject({ status: 'upgrading', version: 1 });
    expect((await membersOf(id)).map(({ version, is_active }) => [version, is_active])).toEqual([
      [1, false],
      [2, true],
    ]);
    await expectCopied(id, 'two');
    await execute(sql`UPDATE cells SET memory_mb_usable = 10000`);
    await untilStatus(id, 'active');
    expect((await membersOf(id)).map(({ version }) => version)).toEqual([2, 2]);
    expect(await reserved()).toMatchObject({ counted: 2 * memoryMbOf(2), held: 2 * memoryMbOf(2) });
    await expectCopied(id, 'three');

    expect((await call('DELETE', `/test/toys/${id}`, { token: as() })).status).toBe(202);
    await until(async () => expect((await call('GET', `/test/toys/${id}`, { token: as() })).status).toBe(404));
    await expectNothingLeft();
    await end(worker);
  });

  it('whose worker is killed at each stage: every operation reaches its end, once', {
    timeout: 600_000,
  }, async () => {
    const survive = async (points: readonly string[]) => {
      for (const point of points) {
        const killed = await startProcess(point);
        if (killed.signalCode === null) await once(killed, 'exit');
        expect([point, killed.signalCode]).toEqual([point, 'SIGKILL']);
      }
    };
    const id = await create('mortal');
    await survive(['toy.create:members', 'toy_member.ensure:run', 'toy_member.ensure:answer', 'toy.create:open']);
    let worker = await startProcess();
    await untilStatus(id, 'active');
    await expectCopied(id, 'one');
    await end(worker);

    expect((await call('POST', `/test/toys/${id}/upgrade`, { token: as(), body: { version: 2 } })).status).toBe(202);
    await survive([
      'toy.upgrade:standby',
      'toy_member.upgrade:reserve',
      'toy_member.upgrade:run',
      'toy_member.upgrade:answer',
      'toy.upgrade:hand_over',
      'toy.upgrade:take_over',
      'toy.upgrade:former',
      'toy.upgrade:finish',
    ]);
    worker = await startProcess();
    await untilStatus(id, 'active');
    expect((await membersOf(id)).map(({ version, is_active }) => [version, is_active])).toEqual([
      [2, false],
      [2, true],
    ]);
    expect(await reserved()).toMatchObject({ counted: 2 * memoryMbOf(2), held: 2 * memoryMbOf(2) });
    await expectCopied(id, 'two');
    await end(worker);

    expect((await call('DELETE', `/test/toys/${id}`, { token: as() })).status).toBe(202);
    await survive(['toy.delete:members', 'toy_member.delete:remove', 'toy.delete:remove']);
    worker = await startProcess();
    await until(async () => expect((await call('GET', `/test/toys/${id}`, { token: as() })).status).toBe(404));
    await expectNothingLeft();
    await end(worker);
  });
}
