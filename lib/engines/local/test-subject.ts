import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces, tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, it } from 'vitest';
import type { Subject } from '../contract/subject';
import type { EngineStatus } from '../status';
import { run } from './exec';
import { describeHost, functionSockets, groupsOf, type Host, type Isolation } from './host';
import { openLocalEngine } from './local-engine';
import { hostCable } from './network/names';
import { existingNamespaces } from './network/namespaces';
import { endProcess, findProcess, findProcesses, signal } from './processes';
import { namesIn, removePath } from './record';

type Contract = (name: string, prepare: () => Promise<Subject>) => void;

/**
 * Puts the local engine to a contract's tests. A host that lacks something skips them and says what is missing; CI lacks
 * nothing, or fails.
 */
export async function testHere(contract: Contract, isolation?: Isolation): Promise<void> {
  const subject = localSubject(isolation);
  const troubles = (await subject.probe())
    .filter(({ engine, ok }) => !ok && engine !== 'services')
    .map(({ message }) => message);
  afterAll(() => subject.dispose());
  const name = `local, ${isolation ?? 'as this user'}`;
  if (troubles.length === 0) contract(name, async () => subject);
  else if (process.env.CI) throw new Error(troubles.join(' '));
  else it.skip(`${name}: ${troubles.join(' ')}`, () => {});
}

/** The process that says by its arguments that it is this instance's machine; found without the engine. */
export function machinePid(id: string): number {
  const found = readdirSync('/proc').find((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').startsWith(`qemu-system-x86_64\0-name\0nephele-${id}\0`);
    } catch {
      return false;
    }
  });
  if (!found) throw new Error(`nothing runs instance ${id}`);
  return Number(found);
}

type LocalSubject = Subject & { probe(): Promise<EngineStatus[]>; dispose(): Promise<void> };

/** The local engine in a data folder of its own. What it builds is kept for the next test file. */
function localSubject(isolation?: Isolation): LocalSubject {
  const dataDir = mkdtempSync(join(tmpdir(), 'neph-engine-'));
  const options = { dataDir, isolation, cacheDir: join(tmpdir(), `nephele-test-cache-${userInfo().uid}`) };
  const host = describeHost(options);
  const engine = openLocalEngine(options);
  return {
    engine,
    folder: host.directory,
    probe: () => engine.probe(),
    restarted: () => openLocalEngine(options),
    powerFailure(instanceId) {
      const machine = findProcess(host, 'qemu', instanceId);
      if (machine) signal(machine, 'SIGKILL');
    },
    async crashNetworkDaemons() {
      for (const process of findProcesses(host)) if (process.role !== 'qemu') await endProcess(process);
    },
    ...(process.getuid?.() === 0 ? { outside: () => worldBeyond(host) } : {}),
    leftovers: () => leftoversOf(host),
    async dispose() {
      for (const process of findProcesses(host)) await endProcess(process);
      for (const id of await groupsOf(host).names()) await groupsOf(host).drop(id);
      for (const { id } of await engine.network.observeRouters()) await engine.network.removeRouter(id);
      await removePath(dataDir);
      await removePath(host.sockets);
    },
  };
}

async function leftoversOf(host: Host): Promise<string[]> {
  const running = findProcesses(host).map(({ role, id }) => `${role} ${id}`);
  const folders = [
    'instances',
    'volumes',
    'layers',
    'snapshots',
    'images',
    'uploads',
    'exports',
    'reach',
    'boots',
    'reboots',
    'network/routers',
    'network/networks',
  ];
  const files = await Promise.all(folders.map((name) => namesIn(join(host.directory, name))));
  const network = (await namesIn(join(host.directory, 'network'))).filter(
    (name) => !name.endsWith('.json') && name !== 'routers' && name !== 'networks',
  );
  const interfaces = Object.keys(networkInterfaces()).filter((name) => name === hostCable(host));
  const places = [...(await existingNamespaces(host)), ...interfaces, ...(await socketsLeft(host))];
  const groups = (await groupsOf(host).names()).map((id) => `group of ${id}`);
  return [...running, ...files.flat(), ...network, ...places, ...groups];
}

/** Those of functions stay while their pool runs. */
const socketsLeft = async (host: Host) =>
  (await namesIn(host.sockets)).filter((name) => name !== basename(functionSockets(host)));

/** A namespace beyond the host with a public address (TEST-NET-3) and a web server, as a stand-in for the Internet. */
async function worldBeyond(host: Host): Promise<{ url: string; close(): void }> {
  const name = `world-${host.tag}`;
  const octet = 4 * (Number.parseInt(host.tag, 16) % 60);
  const [near, far] = [`203.0.113.${octet + 1}`, `203.0.113.${octet + 2}`];
  await run(['ip', 'netns', 'add', name]);
  await run(['ip', 'link', 'add', `wld${host.tag}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name]);
  await run(['ip', 'address', 'add', `${near}/30`, 'dev', `wld${host.tag}`]);
  await run(['ip', 'link', 'set', `wld${host.tag}`, 'up']);
  const inside = ['nsenter', `--net=/run/netns/${name}`, '--'];
  await run([...inside, 'ip', 'address', 'add', `${far}/30`, 'dev', 'eth0']);
  await run([...inside, 'ip', 'link', 'set', 'eth0', 'up']);
  const script = `require('http').createServer((q, r) => { q.resume(); q.on('end', () => r.end('the world\\n')); }).listen(80, () => console.log('up'))`;
  const [program = '', ...args] = [...inside, process.execPath, '-e', script];
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => server.stdout.once('data', resolve));
  return {
    url: `http://${far}/`,
    close() {
      server.kill('SIGKILL');
      run(['ip', 'netns', 'delete', name]).catch(() => {});
    },
  };
}
