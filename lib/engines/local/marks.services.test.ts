import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { ownNamespaces } from './confinement';
import { describeHost, GUEST_USERS, guestUser, type Isolation, SERVICE_USERS } from './host';
import { findProcess, findProcesses, startProcess } from './processes';

const folder = mkdtempSync(join(tmpdir(), 'neph-marks-'));
const running: ChildProcess[] = [];

afterEach(() => {
  for (const process of running.splice(0)) process.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A process that says of itself whatever it likes; resolves once it does. */
function pretend(prefix: readonly string[], mark: string, script = 'echo ready; exec sleep 60'): Promise<number> {
  const [program = '', ...args] = [...prefix, 'env', '-i', `NEPHELE_ENGINE_PROCESS=${mark}`, 'sh', '-c', script];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_ENV: 'production', PATH: process.env.PATH },
  });
  running.push(child);
  return new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve(child.pid ?? 0));
    child.once('exit', () => reject(new Error('it ended')));
  });
}

const hostOf = (isolation: Isolation) => describeHost({ dataDir: join(folder, isolation), isolation });
const asUser = (uid: number) => ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--'];
const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)('as root, what a process says of itself', () => {
  const host = hostOf('root');
  const [own, victim] = [newId(), newId()];
  const userOf = (id: string) => guestUser(host, id) ?? 0;

  it('is believed of a guest’s own user', async () => {
    const pid = await pretend(asUser(userOf(own)), `${host.tag}/qemu/${own}`);
    expect(findProcess(host, 'qemu', own)?.pid).toBe(pid);
  });

  it.each(['qemu', 'dnsmasq', 'slirp', 'holder', 'shim'])(
    'does not make a guest that broke out another tenant’s %s',
    async (role) => {
      await pretend(asUser(userOf(own)), `${host.tag}/${role}/${victim}`);
      expect(findProcesses(host)).toEqual([]);
    },
  );

  it('does not make a guest another’s by hiding its user', async () => {
    const hide =
      'import ctypes, time; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); print("ready", flush=True); time.sleep(60)';
    await pretend(asUser(userOf(own)), `${host.tag}/qemu/${victim}`, `exec /usr/bin/python3 -c '${hide}'`);
    expect(findProcesses(host)).toEqual([]);
  });

  it('does not make a service a guest, nor a guest that has no user yet', async () => {
    for (const uid of [SERVICE_USERS, SERVICE_USERS + 5, GUEST_USERS, 65_534]) {
      await pretend(asUser(uid), `${host.tag}/qemu/${newId()}`);
    }
    expect(findProcesses(host)).toEqual([]);
  });
});

describe('without root, what a process says of itself', () => {
  const host = hostOf('user');
  const box = [...ownNamespaces, 'unshare', '--pid', '--fork', '--kill-child', '--'];

  it('does not make what runs in a sandbox another tenant’s machine while its own waiter lives', async () => {
    const [own, victim] = [newId(), newId()];
    const script = `echo ready; exec env NEPHELE_ENGINE_PROCESS=${host.tag}/qemu/${victim} sleep 60`;
    const mark = `NEPHELE_ENGINE_PROCESS=${host.tag}/qemu/${own}`;
    await pretend(['env', mark, ...box], `${host.tag}/qemu/${own}`, script);
    await expect.poll(() => findProcess(host, 'qemu', own)).toBeDefined();
    expect(findProcess(host, 'qemu', victim)).toBeUndefined();
  });

  it('is not believed of a service, whose number inside only the kernel tells', async () => {
    const inner = ['unshare', '--user', `--map-user=${SERVICE_USERS + 3}`, '--pid', '--fork', '--kill-child', '--'];
    const id = newId();
    await pretend([...ownNamespaces, ...inner], `${host.tag}/qemu/${id}`);
    // Others of this host may still be ending after the test before.
    expect(findProcess(host, 'qemu', id)).toBeUndefined();
  });

  it('of the engine’s own is found', async () => {
    const id = newId();
    startProcess(host, 'holder', id, ['sleep', '5'], join(folder, 'log'));
    await expect.poll(() => findProcess(host, 'holder', id)).toBeDefined();
  });
});
