import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { closePool, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { copyAuditEntries } from '@/lib/domains/observability/logs/audit-source';
import { supervisorOf } from '@/lib/engines/local/services/sandbox';
import { waitFor } from '@/lib/engines/local/turns';
import { type PostgresServer, postgresUrl, startPostgres } from '@/lib/runtime/postgres';
import { forgetSettings } from '@/lib/settings';
import { host } from '@/lib/testing/balancer-world';
import { stopTestClock } from '@/lib/testing/clock';
import { ownHost } from '@/lib/testing/domains/gateway';
import { gatewayTrouble, startGatewayWorld, takeFreeGatewayPorts } from '@/lib/testing/gateway-world';
import type { TestProject } from '@/lib/testing/world';
import type { Route } from './schema';

// A PostgreSQL of its own, as durable as in production, to be killed.
const folder = mkdtempSync(join(tmpdir(), 'nephele-rollout-'));
chmodSync(folder, 0o711);
const directory = join(folder, 'postgres');
Object.assign(process.env, { DATABASE_URL: postgresUrl(directory, 'x', 'postgres'), ALLOW_PRIVATE_URLS: '127.0.0.1' });
forgetSettings();
let database: PostgresServer | undefined;

async function startDatabase(): Promise<void> {
  database = await startPostgres({ directory, password: 'x', durable: true, log: () => {} });
}

const INTERVAL_S = 60;
const trouble = await gatewayTrouble();
if (trouble) console.log(`SKIPPED: ${trouble}`);

describe.skipIf(trouble)('a rollout whose worker, agent, gateway and database all die in the middle of a step', () => {
  let world: Awaited<ReturnType<typeof startGatewayWorld>>;
  let acme: TestProject;
  let name: string;
  let agent: ChildProcess | undefined;

  async function startAgent(): Promise<void> {
    agent = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/gateway-agent-process.ts'], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await once(agent, 'message');
  }

  beforeAll(async () => {
    await startDatabase();
    await migrate(postgresUrl(directory, 'x', 'postgres'));
    await takeFreeGatewayPorts();
    world = await startGatewayWorld({ isApart: true });
    acme = await world.project('acme');
    name = await ownHost(acme);
    await stopTestClock(new Date().toISOString());
    await startAgent();
  });
  afterAll(async () => {
    await killAgent();
    await world?.stop();
    await closePool();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Moves the clock, which stands still otherwise, to so many steps after the beginning of the current one. */
  async function passSteps(id: string, steps: number): Promise<void> {
    const { rollout } = await world.read(id, acme);
    const at = Date.parse(rollout?.step_started_at ?? '') + steps * INTERVAL_S * 1000;
    await stopTestClock(new Date(at).toISOString());
  }

  async function killAgent(): Promise<void> {
    if (!agent) return;
    const ended = once(agent, 'exit');
    agent.kill('SIGKILL');
    await ended;
    agent = undefined;
  }

  async function killEverything(): Promise<void> {
    const supervisor = supervisorOf(host, await world.serviceId());
    const processes = await world.processes();
    await killAgent();
    // The supervisor first: it would start the gateway again.
    for (const pid of [...(supervisor ? [supervisor.pid] : []), ...processes]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended with another one.
      }
    }
    process.kill(database?.pid ?? 0, 'SIGKILL');
    await database?.ended;
    await expect(world.get(name)).rejects.toThrow('ECONNREFUSED');
    expect((await world.call('GET', '/gateway/routes', world.token(acme))).status).toBe(503);
  }

  async function startEverything(): Promise<void> {
    await startDatabase();
    await startAgent();
    const isBack = () =>
      world.get(name).then(
        ({ text }) => text === 'good /',
        () => false,
      );
    expect(await waitFor(isBack, { timeoutMs: 120_000, everyMs: 50 })).toBe(true);
  }

  /** Waits for a state of the route that the gateway serves. */
  async function untilServed(id: string, isThere: (route: Route) => boolean): Promise<Route> {
    const route = await world.until(id, acme, (found) => found.status === 'active' && isThere(found), 60_000);
    const isServed = async () =>
      (
        await queryRow<{ is_served: boolean }>(
          sql`SELECT served_revision = revision AS is_served FROM gateway_routes WHERE id = ${id}::uuid`,
        )
      ).is_served;
    expect(await waitFor(isServed, { timeoutMs: 60_000, everyMs: 20 })).toBe(true);
    return route;
  }

  /** How many of 100 requests the new version answers. */
  async function shareOfNext(): Promise<number> {
    let count = 0;
    for (let index = 0; index < 100; index += 1) if ((await world.get(name)).text === 'next /') count += 1;
    return count;
  }

  const weightsOf = ({ backends }: Route) => backends.map(({ weight }) => weight);

  /** Actions of rollouts in the activity, and in the log, oldest first. */
  async function actionsOf(id: string): Promise<{ activity: string[]; log: string[] }> {
    const ofRollouts = (actions: string[]) => actions.filter((action) => action.startsWith('gateway_route.rollout'));
    const { body } = await world.call('GET', `/activity?resource_id=${id}`, world.token(acme));
    const activity = ofRollouts((body as { action: string }[]).map(({ action }) => action)).reverse();
    const query = encodeURIComponent(`{service="audit", resource_id="${id}"}`);
    await copyAuditEntries(new AbortController().signal);
    // The log of audit entries is for admins.
    const found = await world.call('GET', `/observability/logs?query=${query}`, { token: acme.users.admin.token });
    const { data } = found.body as { data: { result: { values: [string, string][] }[] } };
    const lines = data.result.flatMap(({ values }) => values);
    const log = ofRollouts(lines.map(([, line]) => (JSON.parse(line) as { action: string }).action)).reverse();
    return { activity, log };
  }

  test('goes on in that step with its weights, and to its end', { timeout: 300_000 }, async () => {
    const [good, next] = [await world.named('good'), await world.named('next')];
    const route = await world.apply(acme, {
      backends: [
        { name: 'stable', url: good, weight: 100 },
        { name: 'next', url: next, weight: 0 },
      ],
      rollout: { to: 'next', steps: [20, 50, 100], interval_s: INTERVAL_S, abort_above_errors_percent: 5 },
    });
    await untilServed(route.id, ({ rollout }) => rollout?.step === 1);
    await passSteps(route.id, 1);
    await untilServed(route.id, ({ rollout }) => rollout?.step === 2);
    await passSteps(route.id, 0.5);

    await killEverything();
    await startEverything();
    const back = await untilServed(route.id, () => true);
    expect([back.rollout?.state, back.rollout?.step, ...weightsOf(back)]).toEqual(['running', 2, 50, 50]);
    expect(Math.abs((await shareOfNext()) - 50)).toBeLessThanOrEqual(1);

    await passSteps(route.id, 1);
    await untilServed(route.id, ({ rollout }) => rollout?.step === 3);
    expect(await shareOfNext()).toBe(100);
    await passSteps(route.id, 1);
    const done = await untilServed(route.id, ({ rollout }) => rollout?.state !== 'running');
    expect([done.rollout?.state, ...weightsOf(done)]).toEqual(['completed', 0, 100]);
    const actions = ['rollout_step', 'rollout_step', 'rollout_complete'].map((action) => `gateway_route.${action}`);
    expect(await actionsOf(route.id)).toEqual({ activity: actions, log: actions });
    await world.call('DELETE', `/gateway/routes/${route.id}`, world.token(acme));
  });

  test('takes a bad version back, and counts its errors of before and after exactly once', {
    timeout: 300_000,
  }, async () => {
    let count = 0;
    const next = await world.origin((_, response) => {
      count += 1;
      response.statusCode = count % 10 === 0 ? 500 : 200;
      response.end('next /');
    });
    const route = await world.apply(acme, {
      name: 'bad',
      backends: [
        { name: 'stable', url: await world.named('good'), weight: 100 },
        { name: 'next', url: next, weight: 0 },
      ],
      rollout: { to: 'next', steps: [20, 100], interval_s: INTERVAL_S, abort_above_errors_percent: 5 },
    });
    await untilServed(route.id, ({ rollout }) => rollout?.step === 1);
    // Too few to judge the new version by before its step is over.
    while (count < 10) await world.get(name);

    await killEverything();
    await startEverything();
    const back = await untilServed(route.id, () => true);
    expect([back.rollout?.state, back.rollout?.step, ...weightsOf(back)]).toEqual(['running', 1, 80, 20]);
    while (count < 20) await world.get(name);
    const aborted = await untilServed(route.id, ({ rollout }) => rollout?.state !== 'running');
    expect([aborted.rollout?.state, ...weightsOf(aborted)]).toEqual(['rolled_back', 100, 0]);
    expect(aborted.rollout?.reason).toBe('10.0 % of 20 responses of next were errors; the limit is 5 %.');
    expect(await shareOfNext()).toBe(0);
    expect(count).toBe(20);
    const actions = ['gateway_route.rollout_abort'];
    expect(await actionsOf(route.id)).toEqual({ activity: actions, log: actions });
  });
});
