import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { embeddedDatabaseUrl } from '@/lib/runtime/embedded-database';
import { administrator } from '@/lib/testing/accounts';
import { type Platform, startPlatform } from '@/lib/testing/platform';
import { seededRandom } from '@/lib/testing/random';
import { summary } from './load';

const TENANTS = 50;
const SAMPLE_MS = 2000;
const UNLIMITED = '1000000000';

type Kind = 'secrets' | 'security groups' | 'key pairs' | 'volumes';

/** The resources that tenants create and delete; the last two also involve the worker. */
const kinds: Readonly<Record<Kind, { path: string; weight: number; body: (name: string) => object; most: number }>> = {
  secrets: { path: '/vault/secrets', weight: 6, most: 40, body: (name) => ({ name, type: 'opaque', payload: name }) },
  'security groups': { path: '/network/security-groups', weight: 3, most: 20, body: (name) => ({ name }) },
  'key pairs': { path: '/compute/keypairs', weight: 2, most: 20, body: (name) => ({ name }) },
  volumes: { path: '/storage/volumes', weight: 0.1, most: 2, body: (name) => ({ name, size_gb: 1 }) },
};
const reads = [
  '/tenant/quota',
  '/compute/instances',
  '/vault/secrets?limit=20',
  '/network/networks',
  '/network/security-groups',
  '/storage/volumes',
  '/billing/overview',
  '/activity?limit=8',
  '/audit?limit=50',
  '/operations?limit=20',
];

/** The state acknowledged to a tenant, which must hold afterwards. */
interface Tenant {
  token: string;
  /** Acknowledged and not deleted since, by path and id. */
  held: Map<string, Kind>;
  /** Deletes without an answer: either outcome is correct. */
  unsure: Set<string>;
}

interface Tally {
  times: Map<string, number[]>;
  statuses: Map<number, number>;
  unanswered: number;
  wrong: string[];
}

interface Sample {
  at_s: number;
  web_mb: number;
  worker_mb: number;
  connections: number;
}

/**
 * Fifty tenants read, create and delete as fast as possible while memory and connections are measured. Midway the
 * database restarts; at the end the platform stops under load and starts again. Acknowledged changes must hold, and
 * refusals must be proper API errors.
 */
export async function endure(seconds: number): Promise<void> {
  const limits = {
    RATE_LIMIT_PER_MINUTE: UNLIMITED,
    RATE_LIMIT_BURST: UNLIMITED,
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: UNLIMITED,
    RATE_LIMIT_PROJECT_WRITES_PER_MINUTE: UNLIMITED,
    RATE_LIMIT_PROJECT_WRITES_BURST: UNLIMITED,
    RATE_LIMIT_PROJECT_HEAVY_PER_MINUTE: UNLIMITED,
    RATE_LIMIT_PROJECT_HEAVY_BURST: UNLIMITED,
  };
  let platform = await startPlatform(limits);
  try {
    const tenants = await createTenants(platform);
    const tally: Tally = { times: new Map(), statuses: new Map(), unanswered: 0, wrong: [] };
    const samples: Sample[] = [];
    const running = { now: true };
    const load = Promise.all(tenants.map((tenant, number) => act(platform, tenant, number, tally, running)));
    const watching = watch(platform, samples, running);

    await delay(seconds * 500);
    const away = await restartDatabase(platform);
    await delay(seconds * 500);
    const answered = [...tally.times.values()].reduce((sum, times) => sum + times.length, 0);

    await platform.stop();
    running.now = false;
    await Promise.all([load, watching]);
    platform = await startPlatform(limits, platform.dataDir);
    const lost = await missing(platform, tenants);

    print(tally, samples, answered / seconds);
    console.log(`database stopped under load: answers again after ${(away / 1000).toFixed(1)} s`);
    const held = tenants.reduce((sum, tenant) => sum + tenant.held.size, 0);
    console.log(`platform stopped under load: ${lost.length} of ${held} acknowledged resources lost`);
    const problems = [...tally.wrong.slice(0, 10), ...lost.slice(0, 10)];
    if (problems.length > 0) throw new Error(`This must not be:\n${problems.join('\n')}`);
  } finally {
    await platform.dispose();
  }
}

async function createTenants(platform: Platform): Promise<Tenant[]> {
  const post = async (path: string, body: object, token?: string): Promise<Record<string, string>> => {
    const headers = { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(platform.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const office = await post('/admin/api/v1/auth/login', administrator);
  const tenants: Tenant[] = [];
  for (let number = 0; number < TENANTS; number++) {
    const admin = { email: `admin-${number}@example.test`, name: 'Admin', password: `pass phrase ${number}` };
    await post(
      '/admin/api/v1/tenants',
      { name: `Tenant ${number}`, slug: `tenant-${number}`, admin },
      office.access_token,
    );
    const { access_token = '' } = await post('/api/v1/auth/login', { email: admin.email, password: admin.password });
    tenants.push({ token: access_token, held: new Map(), unsure: new Set() });
  }
  return tenants;
}

/** The client of one tenant. It continues when there is no answer, as a real client would. */
async function act(platform: Platform, tenant: Tenant, number: number, tally: Tally, running: { now: boolean }) {
  const random = seededRandom(number + 1);
  const total = Object.values(kinds).reduce((sum, { weight }) => sum + weight, 0);
  const pick = (): Kind => {
    let left = random() * total;
    for (const [name, { weight }] of Object.entries(kinds) as [Kind, { weight: number }][]) {
      left -= weight;
      if (left < 0) return name;
    }
    return 'secrets';
  };
  while (running.now) {
    const kind = pick();
    const { path, body, most } = kinds[kind];
    const mine = [...tenant.held].filter(([, held]) => held === kind).map(([key]) => key);
    const [oldest] = mine;
    const dice = random();
    if (dice < 0.6 || (dice < 0.8 && mine.length >= most)) {
      await send(
        platform,
        tenant,
        'GET',
        reads[Math.floor(random() * reads.length)] ?? '/tenant/quota',
        undefined,
        tally,
      );
    } else if (dice < 0.8) {
      const answer = await send(platform, tenant, 'POST', path, body(randomUUID()), tally);
      if (answer?.status === 201) tenant.held.set(`${path}/${answer.id}`, kind);
    } else if (oldest) {
      tenant.unsure.add(oldest);
      const answer = await send(platform, tenant, 'DELETE', oldest, undefined, tally, path);
      if (answer && [202, 204, 404].includes(answer.status)) tenant.held.delete(oldest);
      if (answer) tenant.unsure.delete(oldest);
    }
  }
}

const expected = new Set([200, 201, 202, 204, 409, 503]);

async function send(
  platform: Platform,
  tenant: Tenant,
  method: string,
  path: string,
  body: object | undefined,
  tally: Tally,
  name = path,
): Promise<{ status: number; id: string | undefined } | undefined> {
  const began = performance.now();
  try {
    const answer = await fetch(`${platform.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${tenant.token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    const { status } = answer;
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    if (!expected.has(status)) tally.wrong.push(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
    if (status === 503 && !answer.headers.get('retry-after'))
      tally.wrong.push(`${method} ${path}: 503 without Retry-After`);
    if (status < 300) {
      const key = `${method} ${name.split('?')[0]}`;
      const spent = tally.times.get(key) ?? [];
      if (spent.push(performance.now() - began) === 1) tally.times.set(key, spent);
    } else if (status === 503) await delay(200);
    const { id } = status === 201 ? (JSON.parse(text) as { id?: string }) : {};
    return { status, id };
  } catch {
    // Stopped or starting.
    tally.unanswered++;
    await delay(200);
    return undefined;
  }
}

async function watch(platform: Platform, samples: Sample[], running: { now: boolean }): Promise<void> {
  const began = performance.now();
  for (; running.now; await delay(SAMPLE_MS)) {
    const connections = await countConnections(platform).catch(() => undefined);
    const web = residentMb(platform.pidOf('web'));
    const worker = residentMb(platform.pidOf('worker'));
    if (connections === undefined || web === undefined || worker === undefined) continue;
    samples.push({ at_s: (performance.now() - began) / 1000, web_mb: web, worker_mb: worker, connections });
  }
}

async function countConnections(platform: Platform): Promise<number> {
  const client = new pg.Client(embeddedDatabaseUrl(platform.dataDir));
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

function residentMb(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

/**
 * Restarts the database with a fast shutdown, as in an operator's upgrade; the supervisor starts it again. @returns ms
 * until readiness
 */
async function restartDatabase(platform: Platform): Promise<number> {
  const pid = platform.pidOf('database');
  if (pid === undefined) throw new Error('the database does not run');
  const began = performance.now();
  process.kill(pid, 'SIGINT');
  await until(async () => platform.pidOf('database') !== pid);
  await until(async () => (await fetch(`${platform.url}/readyz`).catch(() => undefined))?.status === 200);
  return performance.now() - began;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the platform did not recover in two minutes');
    await delay(50);
  }
}

/** Acknowledged resources that are missing. */
async function missing(platform: Platform, tenants: readonly Tenant[]): Promise<string[]> {
  const lost: string[] = [];
  for (const { token, held, unsure } of tenants) {
    for (const { path } of Object.values(kinds)) {
      const answer = await fetch(`${platform.url}/api/v1${path}?limit=200`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const rows = (await answer.json()) as { id: string }[];
      const there = new Set(rows.map(({ id }) => `${path}/${id}`));
      lost.push(...[...held.keys()].filter((key) => key.startsWith(`${path}/`) && !unsure.has(key) && !there.has(key)));
    }
  }
  return lost;
}

function print({ times, statuses, unanswered }: Tally, samples: readonly Sample[], perSecond: number): void {
  console.log(`${TENANTS} tenants: ${perSecond.toFixed(0)} answers a second`);
  console.log(
    `answers by status: ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}; none: ${unanswered}`,
  );
  const rows = [...times].map(([name, spent]) => ({ name, ...summary(spent, 1) }));
  console.log('slowest by p99:');
  for (const { name, answers, p50_ms, p99_ms } of rows.sort((a, b) => b.p99_ms - a.p99_ms).slice(0, 8)) {
    console.log(
      `  ${name.padEnd(36)} p50 ${p50_ms.toFixed(0).padStart(5)} ms  p99 ${p99_ms.toFixed(0).padStart(5)} ms  × ${answers}`,
    );
  }
  const third = (part: number) =>
    samples.slice(Math.floor((samples.length * part) / 3), Math.floor((samples.length * (part + 1)) / 3));
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  for (const [process, name] of [
    ['web_mb', 'web'],
    ['worker_mb', 'worker'],
  ] as const) {
    const [second, last] = [third(1), third(2)].map((part) => median(part.map((sample) => sample[process])));
    const growth = (last ?? 0) / (second || 1);
    console.log(
      `memory of ${name}: ${second?.toFixed(0)} MB, in the last third ${last?.toFixed(0)} MB (ratio ${growth.toFixed(2)})`,
    );
  }
  console.log(`database connections: at most ${Math.max(...samples.map(({ connections }) => connections))}`);
}
