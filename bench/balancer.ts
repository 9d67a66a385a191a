import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { proxyProgram } from '@/lib/domains/loadbalancing/node-spec';
import { programRoot } from '@/lib/engines/local/catalogue/store';
import { findSandbox } from '@/lib/engines/local/services/sandbox';
import { filesFolder } from '@/lib/engines/local/services/volatile';
import { waitFor } from '@/lib/engines/local/turns';
import { ensureKeys } from '@/lib/runtime/keys';
import { balancerTrouble, host, memberAt, startBalancerWorld, webListener } from '@/lib/testing/balancer-world';
import type { Load } from './load';
import { compare, printRatio } from './ratio';

const SECONDS = 3;
const CALLERS = 16;
const MEMBER_PORT = 8080;
const HAND_ADDRESS = '10.0.0.220';

/**
 * A load balancer beside the same HAProxy started by hand: with the configuration of the node, on the same network, and within
 * the processor time of a node, both in front of one server. Root only: the processes by hand enter namespaces and a cgroup.
 */
export async function measureBalancer(): Promise<void> {
  const trouble = await balancerTrouble();
  if (trouble !== null) throw new Error(trouble);
  ensureKeys();
  const world = await startBalancerWorld();
  const processes: ChildProcess[] = [];
  try {
    const folder = mkdtempSync(join(tmpdir(), 'nephele-bench-'));
    const root = programRoot(host, proxyProgram);
    const proxy = join(root, 'usr/sbin/haproxy');
    const env = { ...process.env, LD_LIBRARY_PATH: join(root, 'usr/lib/x86_64-linux-gnu') };
    const inside = async (id: string, command: string[]) => {
      const isRunning = async () => (await findSandbox(host, id))?.isRunning ?? false;
      await waitFor(isRunning, { timeoutMs: 60_000, everyMs: 100 });
      const { pid } = (await findSandbox(host, id)) ?? {};
      if (pid === undefined) throw new Error(`service ${id} is not running`);
      return ['-t', String(pid), '--net', '--', ...command];
    };
    const start = async (id: string, name: string, configuration: string): Promise<ChildProcess> => {
      const file = join(folder, name);
      writeFileSync(file, configuration);
      const child = spawn('nsenter', await inside(id, [proxy, '-f', file]), {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      processes.push(child);
      return child;
    };

    const idle = 'while true; do sleep 1000; done';
    const member = await world.start('member', '10.0.0.219', idle);
    await start(
      member,
      'server.cfg',
      `defaults\n  mode http\n  timeout client 60s\n  timeout connect 5s\n  timeout server 60s\nfrontend web\n  bind :${MEMBER_PORT}\n  http-request return status 200 content-type text/plain string "hello"\n`,
    );
    await world.change(webListener(memberAt('member', 219)));
    await world.untilIs({ operating_status: 'online' });

    const active = await world.activeNode();
    const { id: standBy } = await queryRow<{ id: string }>(
      sql`SELECT id FROM load_balancer_nodes WHERE load_balancer_id = ${world.balancer.id}::uuid AND id <> ${active.id}::uuid`,
    );
    const hand = await world.start('hand', HAND_ADDRESS, idle);
    const files = join(filesFolder(host, active.id), 'service');
    const served = readFileSync(join(files, 'haproxy.cfg'), 'utf8');
    const byHand = served
      .replaceAll(world.balancer.vip_address, HAND_ADDRESS)
      .replaceAll(/\/run\/service/g, folder)
      .replaceAll(/\/etc\/service/g, files);
    const { pid } = await start(hand, 'by-hand.cfg', byHand);
    // The stand-by has nothing to do, and the limits of a node.
    const { pid: idlePid } = (await findSandbox(host, standBy)) ?? {};
    if (pid === undefined || idlePid === undefined) throw new Error('not started');
    limitLike(idlePid, pid);
    await new Promise((resolve) => setTimeout(resolve, 3000));

    const load = async (address: string): Promise<Load> => {
      const requests = Array.from({ length: CALLERS }, () => ({ method: 'GET', path: '/', host: 'shop' }));
      const script = [
        '--import',
        'tsx',
        'bench/load-process.ts',
        '80',
        String(SECONDS),
        JSON.stringify(requests),
        address,
      ];
      const { stdout } = await promisify(execFile)('nsenter', await inside(member, [process.execPath, ...script]));
      return JSON.parse(stdout) as Load;
    };
    const [ours, theirs] = await compare(
      'perSecond',
      () => load(world.balancer.vip_address),
      () => load(HAND_ADDRESS),
    );
    printRatio(
      `Load balancer to HAProxy by hand, ${CALLERS} callers`,
      ours.perSecond / theirs.perSecond,
      `${figures(ours)} to ${figures(theirs)}`,
      { text: '≥ 0.95', met: ours.perSecond / theirs.perSecond >= 0.95 },
    );
  } finally {
    for (const child of processes) child.kill();
    await world.stop();
  }
}

export const figures = ({ perSecond, p50_ms, p99_ms }: Load) =>
  `${Math.round(perSecond)}/s (p50 ${p50_ms.toFixed(2)} ms, p99 ${p99_ms.toFixed(2)} ms)`;

/** Puts a process into the groups that hold another one to its processor time. */
function limitLike(model: number, pid: number): void {
  for (const line of readFileSync(`/proc/${model}/cgroup`, 'utf8').trim().split('\n')) {
    const [, kinds = '', path = ''] = line.split(':');
    if (kinds !== '' && !kinds.split(',').includes('cpu')) continue;
    const file = join('/sys/fs/cgroup', kinds === '' ? '' : 'cpu', path, 'cgroup.procs');
    if (existsSync(file)) writeFileSync(file, String(pid));
  }
}
