import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, it } from 'vitest';
import type { ServiceSubject } from '../../contract/service-subject';
import { reasonOf } from '../../error';
import type { Program } from '../catalogue/program';
import { fetchProgram } from '../catalogue/store';
import { describeHost, type Host } from '../host';
import { openLocalEngine } from '../local-engine';
import { existingNamespaces } from '../network/namespaces';
import { endProcess, findProcesses } from '../processes';
import { namesIn, removePath } from '../record';
import { serviceNamespaces } from './cable';
import { serviceTrouble } from './limits';
import { LocalServices } from './local-services';
import { runtimeCommand, supervisorOf } from './sandbox';
import { allServices } from './service-record';
import { filesFolder, removeVolatile, runtimeFolder } from './volatile';

/** A shell with the tools of an attacker. Programs of the product contain no shell. */
const shell: Program = {
  name: 'busybox',
  version: 'with-curl',
  licence: 'GPL-2.0-only',
  sources: [{ kind: 'debian', packages: ['busybox-static', 'curl'] }],
  keep: ['bin/busybox', 'usr/bin/busybox', 'usr/bin/curl'],
};

const GROUPS = '/sys/fs/cgroup';

/** No account has this user ID. */
export const ORDINARY_USER = 59_999;

/**
 * Runs tests as an ordinary user: the test file's process, which runs no other file, gives up root. Skipped if the whole
 * run is by an ordinary user, because the other files then test the same.
 */
export async function asOrdinaryUser(tests: () => Promise<void>) {
  if (process.getuid?.() !== 0) return it.skip('tested as this user', () => {});
  process.setgroups?.([]);
  process.setgid?.(ORDINARY_USER);
  process.setuid?.(ORDINARY_USER);
  return tests();
}

/** Like `testServicesHere`, as an ordinary user. */
export const testServicesAsOrdinaryUser = (tests: (local: ReturnType<typeof localServices>) => void) =>
  asOrdinaryUser(() => testServicesHere(tests));

/** The local engine of services in a data folder of its own; programs are kept for the next test file. */
export function localServices(): { host: Host; subject: ServiceSubject; dispose(): Promise<void> } {
  const dataDir = mkdtempSync(join(tmpdir(), 'neph-services-'));
  const options = { dataDir, cacheDir: join(tmpdir(), `nephele-test-cache-${process.getuid?.()}`) };
  const host = describeHost(options);
  const { network } = openLocalEngine(options);
  const subject: ServiceSubject = {
    services: new LocalServices(host, [shell]),
    network,
    shell: { program: { name: shell.name, version: shell.version }, argv: ['/bin/busybox', 'sh', '-c'] },
    restarted: () => new LocalServices(host, [shell]),
    kill(id) {
      // The end of its first process takes a process namespace with it.
      process.kill(pidOf(host, id), 'SIGKILL');
    },
    killSupervisor(id) {
      const supervisor = supervisorOf(host, id);
      if (supervisor) process.kill(supervisor.pid, 'SIGKILL');
    },
    leftovers: () => leftoversOf(host),
  };
  const dispose = async () => {
    for (const id of (await allServices(host)).keys()) await subject.services.removeService(id);
    for (const process of findProcesses(host)) await endProcess(process);
    for (const { id } of await network.observeRouters()) await network.removeRouter(id);
    await removeVolatile(host);
    await removePath(dataDir);
    await removePath(host.sockets);
  };
  return { host, subject, dispose };
}

/** Puts the local engine of services to tests. A host that can't isolate services skips them and says why; CI can, or fails. Without the shell's packages they are skipped everywhere. */
export async function testServicesHere(tests: (local: ReturnType<typeof localServices>) => void): Promise<void> {
  const local = localServices();
  afterAll(local.dispose);
  const trouble = await serviceTrouble(local.host);
  if (trouble === null) {
    const missing = await fetchProgram(local.host, shell).then(() => null, reasonOf);
    if (missing === null) tests(local);
    else it.skip(missing, () => {});
  } else if (process.env.CI) throw new Error(trouble);
  else it.skip(trouble, () => {});
}

function pidOf(host: Host, id: string): number {
  const [program = '', ...args] = [...runtimeCommand(host), 'state', id];
  const state: { pid: number } = JSON.parse(execFileSync(program, args, { encoding: 'utf8' }));
  return state.pid;
}

async function leftoversOf(host: Host): Promise<string[]> {
  const files = (await namesIn(join(host.directory, 'services'))).filter((name) => name !== 'users.json');
  // Not all groups of the host: those of tests beside this one come and go while they are read.
  const parent = `nephele-${host.tag}-services`;
  const groups = ['.', ...readdirSync(GROUPS)]
    .map((name) => join(GROUPS, name, parent))
    .filter((path) => existsSync(path));
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return [
    ...findProcesses(host).map(({ role, id }) => `${role} ${id}`),
    ...files,
    ...(await namesIn(runtimeFolder(host))),
    ...(await namesIn(filesFolder(host, ''))),
    ...(await serviceNamespaces(host)),
    ...(await existingNamespaces(host)),
    ...(await namesIn(host.sockets)),
    ...groups,
    ...mounts.filter((line) => line.includes(join(host.directory, 'services'))),
  ];
}
