import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { findProcesses } from '@/lib/engines/local/processes';
import { ownCell } from '@/lib/settings';
import { balancerTrouble, host, memberAt, startBalancerWorld, webListener } from '@/lib/testing/balancer-world';
import { testCertificate } from '@/lib/testing/certificates';
import { testDatabase } from '@/lib/testing/database';
import { seededRandom } from '@/lib/testing/random';
import { statsOf } from './nodes';

const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 100_000);
const ROUNDS = 40;
const REQUESTS = 100_000;
const CLIENTS = 4;
const FAIL_OVERS = 10;

testDatabase();
const trouble = await balancerTrouble();
if (trouble) console.log(`SKIPPED: ${trouble}`);

describe.skipIf(trouble)(`a load balancer under load and faults (FAULT_SEED=${SEED})`, () => {
  let world: Awaited<ReturnType<typeof startBalancerWorld>>;
  beforeAll(async () => {
    world = await startBalancerWorld({ isApart: true });
  }, 120_000);
  afterAll(() => world?.stop(), 120_000);

  const one = (change?: { weight: number }) => memberAt('one', 201, change);
  const two = (change?: { weight: number }) => memberAt('two', 202, change);

  /** Runs changes again and again while clients send requests. @returns what all clients saw */
  async function whileAsking(url: string, change: (round: number) => Promise<void>, total = REQUESTS, more = '') {
    const began = performance.now();
    let asking = true;
    const clients = Promise.all(
      Array.from({ length: CLIENTS }, () => world.requests(total / CLIENTS, url, more)),
    ).finally(() => {
      asking = false;
    });
    let rounds = 0;
    while (asking) {
      await change(rounds);
      rounds += 1;
    }
    const seen = await clients;
    const sum = (of: 'answered' | 'failed' | 'connections') => seen.reduce((all, one) => all + one[of], 0);
    const perSecond = Math.round((total / (performance.now() - began)) * 1000);
    const result = { answered: sum('answered'), failed: sum('failed'), connections: sum('connections') };
    console.log(`${url}: ${JSON.stringify(result)} at ${perSecond}/s with ${rounds} changes`);
    return { ...result, rounds };
  }

  test('changes of weights, members and certificates lose no request and no connection', {
    timeout: 600_000,
  }, async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const { certificate, key } = await testCertificate({ names: [`${name}.test`] });
      const body = { name, certificate_pem: certificate, private_key_pem: key };
      ids.push(((await world.call('POST', '/gateway/certificates', { ...world.as, body })).body as { id: string }).id);
    }
    const [a = '', b = '', c = ''] = ids;
    const both = (certificate_ids: string[], ...members: ReturnType<typeof memberAt>[]) => {
      const secure = { name: 'secure', protocol: 'HTTPS', port: 443, certificate_ids };
      return world.change(webListener(...members), { ...webListener(...members), ...secure });
    };
    await both([a], one(), two());
    const changes = [
      () => both([a, b], one({ weight: 3 }), two()),
      () => both([b, a, c], one(), two({ weight: 7 })),
      () => both([c, b], one()),
      () => both([a, b, c], one({ weight: 0 }), two()),
      () => both([a], one(), two()),
    ];
    const change = async (round: number) => changes[round % changes.length]?.();
    const vip = world.balancer.vip_address;
    const plain = await whileAsking(`http://${vip}`, change);
    expect(plain).toMatchObject({ answered: REQUESTS, failed: 0, connections: CLIENTS });
    const encrypted = await whileAsking(`https://${vip}`, change, REQUESTS / 4, '-k');
    expect(encrypted).toMatchObject({ answered: REQUESTS / 4, failed: 0, connections: CLIENTS });
  });

  test('reloads lose none of 100,000 requests', { timeout: 600_000 }, async () => {
    const further = (port: number) => ({ ...webListener(one()), name: `port-${port}`, port });
    await world.change(webListener(one(), two()));
    const { rounds, ...seen } = await whileAsking(`http://${world.balancer.vip_address}`, (round) =>
      world.change(webListener(one(), two()), ...(round % 2 === 0 ? [further(81)] : [])),
    );
    expect(seen).toMatchObject({ answered: REQUESTS, failed: 0 });
    expect(rounds).toBeGreaterThan(2);
    await world.change(webListener(one(), two()));
  });

  test.each([
    ['is killed', ({ id }: { id: string }) => world.signalTo(id, 'SIGKILL')],
    ['loses its link', ({ port_id }: { port_id: string }) => world.setLink(port_id, 'down')],
    ['hangs', ({ id }: { id: string }) => world.signalTo(id, 'SIGSTOP')],
  ])('ten times the active node %s', { timeout: 600_000 }, async (what, fail) => {
    const gaps: number[] = [];
    for (let round = 0; round < FAIL_OVERS; round += 1) {
      await world.untilIs({ operating_status: 'online' });
      const before = await world.activeNode();
      gaps.push(await world.longestGap(6, () => fail(before)));
      await world.setLink(before.port_id, 'up');
    }
    const sorted = gaps.toSorted((a, b) => a - b);
    console.log(`the active node ${what}: median ${sorted[FAIL_OVERS / 2]} ms, worst ${sorted.at(-1)} ms (${gaps})`);
    expect(sorted.at(-1)).toBeLessThan(2_000);
  });

  test('after random faults, state, configuration and traffic agree, and nothing is left', {
    timeout: 900_000,
  }, async () => {
    const random = seededRandom(SEED);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const nodes = await query<{ id: string }>(
      sql`SELECT id FROM load_balancer_nodes WHERE load_balancer_id = ${world.balancer.id}::uuid ORDER BY ordinal`,
    );
    const servers = [...world.machines.values()].filter(({ spec }) => /\.20[12]$/.test(spec.port?.ip ?? ''));
    let wanted = [webListener(one(), two())];
    // A node or a member that is not there at the moment cannot be hit.
    const hit = (id: string, signal: NodeJS.Signals) => world.signalTo(id, signal).catch(() => {});
    const actions = [
      () => hit(pick(nodes).id, 'SIGKILL'),
      () => hit(pick(nodes).id, 'SIGKILL'),
      () => hit(pick(nodes).id, 'SIGSTOP'),
      () => hit(pick(servers).spec.id, 'SIGKILL'),
      () => world.restartAgent(),
      async () => {
        const weight = 1 + Math.floor(random() * 9);
        const further = random() < 0.5 ? [{ ...webListener(one()), name: 'further', port: 81 }] : [];
        const listeners = [webListener(one({ weight }), two()), ...further];
        const { status } = await world.call('PUT', world.path, { ...world.as, body: { listeners } });
        if (status === 202) wanted = listeners;
      },
    ];
    for (let round = 0; round < ROUNDS; round += 1) {
      await pick(actions)();
      // Faults hit at any moment, also while the last one is being mended.
      await new Promise((resolve) => setTimeout(resolve, random() * 1_000));
    }

    await world.untilIs({ provisioning_status: 'active', operating_status: 'online' });
    const [web] = wanted;
    const [first] = web?.pool.members ?? [];
    const weight = first?.weight ?? 0;
    await vi.waitFor(
      async () => {
        const rounds = 10;
        expect(await world.ask(rounds * (weight + 1))).toEqual({ 'one 200': rounds * weight, 'two 200': rounds });
        expect(await world.ask(2, 81)).toEqual(wanted.length > 1 ? { 'one 200': 2 } : { ' 000': 2 });
      },
      { timeout: 60_000, interval: 500 },
    );
    const configured = await Promise.all(
      nodes.map(async ({ id }) =>
        (await statsOf(ownCell(), id))
          ?.filter(({ svname }) => /^s\d+$/.test(svname ?? ''))
          .map(({ pxname, svname, addr, weight: share, status }) => [pxname, svname, addr, share, status]),
      ),
    );
    expect(configured[0]?.length).toBeGreaterThan(0);
    expect(configured[1]).toEqual(configured[0]);

    expect((await world.call('DELETE', world.path, world.as)).status).toBe(202);
    await vi.waitFor(async () => expect((await world.call('GET', world.path, world.as)).status).toBe(404), {
      timeout: 60_000,
      interval: 200,
    });
    const left = (await world.services.observeServices()).map(({ id }) => id).sort();
    expect(left).toEqual([...world.machines.keys()].sort());
    const processes = findProcesses(host).filter(({ id }) => nodes.some((node) => node.id === id));
    expect(processes).toEqual([]);
  });
});
