import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { endProcess } from '@/lib/engines/local/processes';
import { waitFor } from '@/lib/engines/local/turns';
import { testDatabase } from '@/lib/testing/database';
import { ownHost } from '@/lib/testing/domains/gateway';
import { gatewayTrouble, startGatewayWorld, takeFreeGatewayPorts } from '@/lib/testing/gateway-world';
import { seededRandom } from '@/lib/testing/random';
import type { TestProject } from '@/lib/testing/world';

const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 100_000);
const ROUNDS = 60;

testDatabase();
const trouble = await gatewayTrouble();
if (trouble) console.log(`SKIPPED: ${trouble}`);

describe.skipIf(trouble)(`the gateway under random faults (FAULT_SEED=${SEED})`, () => {
  let world: Awaited<ReturnType<typeof startGatewayWorld>>;
  let projects: { project: TestProject; machine: string; host: string }[];
  beforeAll(async () => {
    process.env.ALLOW_PRIVATE_URLS = '127.0.0.1';
    await takeFreeGatewayPorts();
    world = await startGatewayWorld();
    projects = [];
    for (const name of ['one', 'two']) {
      const project = await world.project(name);
      await world.open(project);
      projects.push({ project, machine: await world.machine(project, name), host: await ownHost(project) });
    }
  });
  afterAll(() => world?.stop());

  test('state, configuration and traffic agree at the end, and nothing is left', { timeout: 600_000 }, async () => {
    const random = seededRandom(SEED);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const origins = await Promise.all(['a', 'b', 'c'].map(async (name) => ({ name, url: await world.named(name) })));
    /** What a request for a host and path must answer. */
    const wanted = new Map<string, { project: TestProject; host: string; path: string; text: string }>();
    const actions: Record<string, () => Promise<unknown>> = {
      async apply() {
        const { project, machine, host } = pick(projects);
        const path = `/${pick(['x', 'y', 'z'])}`;
        const origin = pick(origins);
        const toMachine = random() < 0.4;
        const backend = toMachine
          ? { name: 'vm', instance_id: machine, port: 8080, weight: 100 }
          : { name: origin.name, url: origin.url, weight: 100 };
        await world.apply(project, { name: path, path_prefix: path, strip_prefix: true, backends: [backend] });
        const text = toMachine ? (host.includes('.one-') ? 'one' : 'two') : `${origin.name} /`;
        wanted.set(`${host}${path}`, { project, host, path, text });
      },
      async remove() {
        const found = pick([...wanted.values()]);
        if (!found) return;
        const id = await world.idOf(found.project, found.path);
        await world.call('DELETE', `/gateway/routes/${id}`, world.token(found.project));
        wanted.delete(`${found.host}${found.path}`);
      },
      async killGateway() {
        for (const pid of (await world.processes().catch(() => [])).reverse()) {
          try {
            if (pid > 1) process.kill(pid, 'SIGKILL');
          } catch {}
        }
      },
      async killEntries() {
        for (const entry of world.entries()) await endProcess(entry);
      },
      async suspend() {
        const { project } = pick(projects);
        for (const status of ['suspended', 'active'])
          await execute(sql`UPDATE projects SET status = ${status}::text WHERE id = ${project.id}::uuid`);
      },
    };
    const names = ['apply', 'apply', 'apply', 'remove', 'killGateway', 'killEntries', 'suspend'];
    for (let round = 0; round < ROUNDS; round += 1) {
      await actions[pick(names)]?.();
      await new Promise((resolve) => setTimeout(resolve, random() * 400));
    }
    const answer = (host: string, path: string) =>
      world.get(host, path, { headers: { connection: 'close' } }).then(
        ({ status, text }) => (status === 200 ? text : String(status)),
        () => 'none',
      );
    for (const { host, path, text } of wanted.values()) {
      expect(
        await waitFor(async () => (await answer(host, path)) === text, { timeoutMs: 60_000, everyMs: 100 }),
        `${host}${path} answers ${text}, not ${await answer(host, path)}`,
      ).toBe(true);
    }
    for (const { host } of projects) {
      for (const path of ['/x', '/y', '/z'])
        if (!wanted.has(`${host}${path}`)) expect(await answer(host, path)).toBe('404');
    }
    for (const { project, path } of wanted.values()) {
      await world.until(await world.idOf(project, path), project, ({ status }) => status === 'active', 60_000);
    }
    while (wanted.size > 0) await actions.remove?.();
    const isQuiet = async () => world.entries().length === 0 && (await world.processes()).length === 0;
    expect(await waitFor(isQuiet, { timeoutMs: 30_000, everyMs: 100 })).toBe(true);
  });
});
