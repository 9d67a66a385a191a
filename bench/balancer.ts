import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { proxyProgram } from '@/lib/domains/loadbalancing/node-spec';
import { programRoot } from '@/lib/engines/local/catalogue/store';
import { findSandbox } from '@/lib/engines/local/services/sandbox';
import { filesFolder } from '@/lib/engines/local/services/volatile';
import { waitFor } from '@/lib/engines/local/turns';
import { ensureKeys } from '@/lib/runtime/keys';
import { balancerTrouble, host, memberAt, startBalancerWorld, webListener } from '@/lib/testing/balancer-world';
import { besides } from './cgroup';
import type { Load } from './load';
import { compareWithTime, times } from './processor-time';
import { printRatio } from './ratio';

const SECONDS = 3;
const CALLERS = 16;
const MEMBER_PORT = 8080;
const HAND_ADDRESS = '10.0.0.220';

/**
 * A load balancer beside the same HAProxy started by hand: with the configuration of the node, on the same network, and within
 * a group of its own with the weight and quota of a node's, both in front of one server. Root only: the processes by hand enter namespaces and a cgroup.
 */
export async function measureBalancer(): Promise<void> {
  const trouble = await balancerTrouble();
  if (trouble !== null) throw new Error(trouble);
  ensureKeys();
  const world = await startBalancerWorld();
  const processes: ChildProcess[] = [];
  const removals: (() => void)[] = [];
  try {
    const folder = mkdtempSync(join(tmpdir(), 'nephele-bench-'));
    removals.push(() => rmSync(folder, { recursive: true }));
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
      // Like those of a node, its lines go to a file; nobody reads this one.
      const lines = openSync(join(folder, `${name}.log`), 'a');
      const child = spawn('nsenter', await inside(id, [proxy, '-W', '-f', file]), {
        env,
        stdio: ['ignore', lines, 'ignore'],
      });
      closeSync(lines);
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
    // A new interval between health checks is a reload: members alone would change in the nodes' processes, not in their files.
    const { pool, ...listener } = webListener(memberAt('member', 219));
    await world.change({ ...listener, pool: { ...pool, health_check: { ...pool.health_check, interval_s: 2 } } });
    await world.untilIs({ operating_status: 'online' });

    const active = await world.activeNode();
    const hand = await world.start('hand', HAND_ADDRESS, idle);
    const files = join(filesFolder(host, active.id), 'service');
    const served = readFileSync(join(files, 'haproxy.cfg'), 'utf8');
    if (!served.includes(`10.0.0.219:${MEMBER_PORT} `)) throw new Error('the files of the node do not name its member');
    const byHand = served
      .replaceAll(world.balancer.vip_address, HAND_ADDRESS)
      .replaceAll(/\/run\/service/g, folder)
      .replaceAll(/\/etc\/service/g, files);
    const { pid } = await start(hand, 'by-hand.cfg', byHand);
    const { pid: nodePid } = (await findSandbox(host, active.id)) ?? {};
    if (pid === undefined || nodePid === undefined) throw new Error('not started');
    removals.push(besides(nodePid, pid));
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
    const [ours, theirs] = await compareWithTime(
      { load: () => load(world.balancer.vip_address), pid: nodePid },
      { load: () => load(HAND_ADDRESS), pid },
    );
    printRatio(
      `Load balancer to HAProxy by hand, ${CALLERS} callers`,
      ours.perSecond / theirs.perSecond,
      `${figures(ours)} to ${figures(theirs)}, of processor time ${times(ours, theirs)}`,
      { text: '≥ 0.95', met: ours.perSecond / theirs.perSecond >= 0.95 },
    );
  } finally {
    const ended = processes.map((child) => child.exitCode !== null || once(child, 'exit'));
    for (const child of processes) child.kill();
    await Promise.all(ended);
    for (const remove of removals) remove();
    await world.stop();
  }
}

export const figures = ({ perSecond, p50_ms, p99_ms }: Load) =>
  `${Math.round(perSecond)}/s (p50 ${p50_ms.toFixed(2)} ms, p99 ${p99_ms.toFixed(2)} ms)`;
