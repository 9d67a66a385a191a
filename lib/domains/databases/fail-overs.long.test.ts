import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble, startDatabaseWorld } from '@/lib/testing/database-world';
import { connectMongodb } from '@/lib/testing/mongodb-connection';
import { upgradeWriters } from '@/lib/testing/upgrade-writers';
import type { DatabaseClusterWithCredentials } from './schema';

testDatabase();

/** Each is tried so often; FAILOVERS changes it. */
const TIMES = Number(process.env.FAILOVERS ?? 10);

type World = Awaited<ReturnType<typeof startDatabaseWorld>>;
type Outcome = { acknowledged: number; lost: number; errors: number; gap_ms: number };
type Member = { id: string; port_id: string };
type Cluster = DatabaseClusterWithCredentials;
type Fault = {
  name: string;
  /** The role of the member that it happens to; null: to none. */
  role: 'primary' | 'standby' | null;
  happens(world: World, cluster: Cluster, member: Member | undefined): Promise<void>;
  /** What has to be put right by hand, as an operator would. */
  mend?(world: World, member: Member | undefined): Promise<void>;
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const present = (member: Member | undefined): Member => {
  if (!member) throw new Error('no member');
  return member;
};
const signal =
  (name: NodeJS.Signals): Fault['happens'] =>
  (world, _, member) =>
    world.signalTo(present(member).id, name);
const cut: Pick<Fault, 'happens' | 'mend'> = {
  happens: (world, _, member) => world.setLink(present(member).port_id, 'down'),
  mend: (world, member) => world.setLink(present(member).port_id, 'up'),
};

/** Fills a disk but for some room. Ten seconds later the tenant enlarges the storage to the size that the status names. */
const full = (name: string, role: 'primary' | 'standby', roomMb: number): Fault => ({
  name,
  role,
  async happens(world, cluster, member) {
    await world.leaveRoom(present(member).id, roomMb);
    await pause(FULL_MS);
    const { storage_gb, status, status_reason } = await world.read(cluster.name);
    const began = performance.now();
    const enough = /enlarged to (\d+) GB/.exec(status_reason ?? '')?.[1];
    const body = { storage_gb: enough === undefined ? storage_gb + 1 : Number(enough) };
    const enlarge = () => world.call('PATCH', world.paths(cluster.name), { ...world.as, body });
    // Refused while a primary that ended on its full disk is being replaced.
    await vi.waitFor(async () => expect((await enlarge()).status).toBe(202), { timeout: 60_000, interval: 200 });
    await world.untilIs(cluster.name, 'available', 180_000);
    console.info(
      `${status} (${status_reason}); ${Math.round(performance.now() - began)} ms after it was enlarged: whole`,
    );
  },
});
/** How long a disk stays full. */
const FULL_MS = 10_000;

/** What can happen to any cluster. */
const always: readonly Fault[] = [
  { name: 'primary killed', role: 'primary', happens: signal('SIGKILL') },
  { name: 'primary stopped', role: 'primary', happens: signal('SIGSTOP') },
  { name: 'endpoint killed', role: null, happens: (world, { id }) => world.signalTo(id, 'SIGKILL') },
  { name: 'agent and worker killed', role: null, happens: (world) => world.killWorker() },
  {
    name: 'agent and worker killed, and the primary while they are away',
    role: 'primary',
    happens: (world, _, member) => world.killWorker(() => world.signalTo(present(member).id, 'SIGKILL')),
  },
];
const withStandby: readonly Fault[] = [
  ...always,
  { name: 'primary cut off', role: 'primary', ...cut },
  { name: 'standby killed', role: 'standby', happens: signal('SIGKILL') },
  { name: 'standby stopped', role: 'standby', happens: signal('SIGSTOP') },
  { name: 'standby cut off', role: 'standby', ...cut },
  full('disk of the standby full to the last megabyte', 'standby', 1),
];
const disks = (nearlyMb: number): readonly Fault[] => [
  full('disk of the primary nearly full', 'primary', nearlyMb),
  full('disk of the primary full to the last megabyte', 'primary', 1),
];

/** How long clients write before a fault, and at least after it: a service that ends within ten seconds of its start waits to be restarted. */
const [BEFORE_MS, AFTER_MS] = [1_000, 10_000];
/** Within this time after a fault, clients must write again. */
const RECOVERS_MS = 7_000;
/** The same for an only member, which is restarted after it has hung for eight seconds. */
const RECOVERS_ALONE_MS = 14_000;

/** Writes of a client for as long as a fault and what follows it take. */
type Writer = { during(happens: () => Promise<void>): Promise<Outcome>; end(): void };

const recorded =
  (engine: keyof typeof upgradeWriters) =>
  async (world: World, cluster: Cluster, afterMs: number): Promise<Writer> => {
    const client = await upgradeWriters[engine](world, cluster);
    return {
      end: client.end,
      async during(happens) {
        await client.startWriting();
        await pause(BEFORE_MS);
        await happens();
        await pause(afterMs);
        const { acknowledged, errors, gap_ms } = await client.stopWriting();
        return { acknowledged: acknowledged.length, lost: (await client.lost(acknowledged)).length, errors, gap_ms };
      },
    };
  };

async function mongodbWriter(world: World, cluster: Cluster, afterMs: number): Promise<Writer> {
  const client = await connectMongodb(world, cluster);
  return {
    end: client.end,
    async during(happens) {
      await client.ask({ kind: 'write' });
      await happens();
      await pause(afterMs);
      return client.ask<Outcome>({ kind: 'finish' });
    },
  };
}

describe.each([
  {
    engine: 'postgres',
    program: 'postgres',
    version: '18',
    keeps: true,
    recoversMs: RECOVERS_MS,
    writer: recorded('postgres'),
    faults: [...withStandby, ...disks(100)],
  },
  {
    engine: 'mysql',
    program: 'mariadb',
    version: '11.8',
    keeps: true,
    recoversMs: RECOVERS_MS,
    writer: recorded('mysql'),
    faults: [...withStandby, ...disks(30)],
  },
  // What replicates asynchronously may lose what its standby has not received.
  {
    engine: 'valkey',
    program: 'valkey',
    version: '9.1',
    keeps: false,
    recoversMs: RECOVERS_MS,
    writer: recorded('valkey'),
    faults: [...withStandby, ...disks(30)],
  },
  {
    engine: 'qdrant',
    program: 'qdrant',
    version: '0.9',
    keeps: true,
    recoversMs: RECOVERS_ALONE_MS,
    writer: recorded('qdrant'),
    faults: [...always, ...disks(50)],
  },
  {
    engine: 'mongodb',
    program: 'mongodb',
    version: '0.7',
    keeps: true,
    recoversMs: RECOVERS_ALONE_MS,
    writer: mongodbWriter,
    faults: [...always, ...disks(80)],
  },
] as const)('fail-overs of $engine', async ({ engine, program, version, keeps, recoversMs, writer, faults }) => {
  const trouble = await databaseTrouble([version], program);

  describe.skipIf(trouble !== null)(`each ${TIMES} times${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
    let world: World;
    let cluster: DatabaseClusterWithCredentials;
    let writes: Writer | undefined;
    beforeAll(async () => {
      world = await startDatabaseWorld(engine, { isApart: true });
      cluster = await world.create({ name: 'orders', version });
      writes = await writer(world, cluster, Math.max(AFTER_MS, recoversMs));
    }, 300_000);
    afterAll(async () => {
      writes?.end();
      await world?.stop();
    }, 120_000);

    test.each(faults)(
      '$name: clients write again, and the cluster is whole again',
      async ({ name, role, happens, mend }) => {
        const outcomes: Outcome[] = [];
        // A new agent takes a while to begin.
        let longest = 0;
        for (let time = 0; time < TIMES; time += 1) {
          await world.untilIs('orders', 'available', 180_000);
          const member = role === null ? undefined : await world.member(cluster, role);
          const outcome = await writes?.during(async () => {
            const began = performance.now();
            await happens(world, cluster, member);
            longest = Math.max(longest, performance.now() - began);
          });
          await mend?.(world, member);
          if (outcome) outcomes.push(outcome);
        }
        await world.untilIs('orders', 'available', 180_000);
        const gaps = outcomes.map(({ gap_ms }) => gap_ms).toSorted((a, b) => a - b);
        const sum = (key: 'acknowledged' | 'errors' | 'lost') => outcomes.reduce((all, one) => all + one[key], 0);
        console.info(
          `| ${engine} | ${name} | ${gaps[Math.floor(gaps.length / 2)]} ms | ${gaps.at(-1)} ms | ${sum('errors')} | ${sum('lost')} of ${sum('acknowledged')} |`,
        );
        expect(outcomes).toHaveLength(TIMES);
        // After each fault, clients wrote again before the end.
        expect(Math.max(...gaps)).toBeLessThan(BEFORE_MS + longest + recoversMs);
        if (keeps) expect(sum('lost')).toBe(0);
      },
      TIMES * 240_000,
    );
  });
});
