import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { startWorker, type Worker } from '@/lib/core/operations/worker';
import { endBuilder, openWay } from '@/lib/domains/layers/build';
import { builderOf } from '@/lib/domains/layers/builder';
import { layerFolders } from '@/lib/domains/layers/content';
import type { LayerVersion } from '@/lib/domains/layers/schema';
import { layerSteps } from '@/lib/domains/layers/steps';
import { replaceEngines } from '@/lib/engines/engines';
import { detailOf } from '@/lib/engines/error';
import { PROGRAMS } from '@/lib/engines/local/catalogue/catalogue';
import { fetchProgram } from '@/lib/engines/local/catalogue/store';
import { describeHost, type Host } from '@/lib/engines/local/host';
import { endProcess, findProcesses } from '@/lib/engines/local/processes';
import { serviceTrouble } from '@/lib/engines/local/services/limits';
import { LocalServices } from '@/lib/engines/local/services/local-services';
import { removeVolatile } from '@/lib/engines/local/services/volatile';
import { ownCell, settings } from '@/lib/settings';
import { testDatabase } from './database';
import { createCell } from './hosts';
import { idIn, layersOf } from './layer-world';
import { MemoryEngines } from './memory-engines';
import { createProject, type TestProject } from './world';

const hostHere = () =>
  describeHost({
    dataDir: settings().dataDir,
    cacheDir: join(tmpdir(), `nephele-test-cache-${process.getuid?.()}`),
  });

async function builderTrouble(host: Host): Promise<string | null> {
  try {
    for (const program of PROGRAMS) if (program.name === 'layer-builder') await fetchProgram(host, program);
    return await serviceTrouble(host);
  } catch (error) {
    return detailOf(error);
  }
}

const BUILD_MS = 180_000;

/** Builds with real packages of pip and npm. @param user whose engine it is, for the names of the tests */
export async function layerSuite(user: string): Promise<void> {
  testDatabase();
  const host = hostHere();
  const trouble = await builderTrouble(host);
  if (trouble !== null && process.env.CI) throw new Error(trouble);

  describe.skipIf(trouble !== null)(
    `a version from requirements, as ${user}${trouble ? ` (skipped: ${trouble})` : ''}`,
    () => {
      const services = new LocalServices(host);
      let worker: Worker;
      let acme: TestProject;
      let other: TestProject;
      beforeAll(async () => {
        replaceEngines(Object.assign(new MemoryEngines(), { services }));
        await createCell(ownCell());
        [acme, other] = await Promise.all([createProject('acme'), createProject('other')]);
        worker = startWorker({ steps: layerSteps, jobs: [], backoff: () => 200 });
      });
      afterAll(async () => {
        await worker?.stop();
        for (const { id } of await services.observeServices()) await services.removeService(id);
        for (const process of findProcesses(host)) await endProcess(process);
        await removeVolatile(host);
      }, 120_000);

      const build = async (runtime: string, ...requirements: string[]) => {
        const layers = layersOf(acme);
        const id = idIn(await layers.create(`layer ${newId()}`));
        const version = idIn(await layers.require(id, runtime, ...requirements));
        return { id, version };
      };
      const read = async ({ id, version }: { id: string; version: string }) =>
        (await layersOf(acme).version(id, version)).body as LayerVersion;

      test('of Python has the package and all that it needs, a lockfile with hashes, and the builder’s output', async () => {
        const built = await build('python3.11', 'requests==2.32.3');
        await layersOf(acme).becomes(built.id, built.version, { status: 'ready', runtime: 'python3.11' }, BUILD_MS);
        const { lockfile } = await read(built);
        expect(lockfile).toMatch(/^requests==2\.32\.3 --hash=sha256:[0-9a-f]{64}$/m);
        expect(lockfile).toMatch(/^urllib3==/m);
        const { body } = await layersOf(acme).log(built.id, built.version);
        expect(body).toMatchObject({ log: expect.stringMatching(/Successfully installed .*requests-2\.32\.3/) });
        const [folder = ''] = await layerFolders(acme.id, [built.version]);
        const said = spawnSync('/usr/bin/python3', [
          '-I',
          '-c',
          'import sys; sys.path.insert(0, sys.argv[1]); import requests; print(requests.__version__, requests.__file__.startswith(sys.argv[1]))',
          join(folder, 'python'),
        ]);
        expect(String(said.stdout)).toBe('2.32.3 True\n');
        expect(readdirSync(join(folder, 'python/requests/__pycache__')).some((name) => name.endsWith('.pyc'))).toBe(
          true,
        );
      });

      test('of Python gives the same version when it is built again', async () => {
        const layers = layersOf(acme);
        const first = await build('python3.11', 'six==1.16.0');
        await layers.becomes(first.id, first.version, { status: 'ready' }, BUILD_MS);
        const again = idIn(await layers.require(first.id, 'python3.11', 'six==1.16.0'));
        await layers.becomes(first.id, again, { status: 'ready', version: 1, same_as: first.version }, BUILD_MS);
      });

      test('of Node.js has the package where Node.js finds it, and package-lock.json', async () => {
        const built = await build('nodejs24', 'lodash@4.17.21');
        await layersOf(acme).becomes(built.id, built.version, { status: 'ready', runtime: 'nodejs24' }, BUILD_MS);
        const { lockfile } = await read(built);
        expect(JSON.parse(lockfile ?? '').packages['node_modules/lodash']).toMatchObject({ version: '4.17.21' });
        const [folder = ''] = await layerFolders(acme.id, [built.version]);
        const said = spawnSync(process.execPath, ['-e', `console.log(require('lodash').chunk([1, 2, 3], 2).length)`], {
          env: { ...process.env, NODE_PATH: join(folder, 'nodejs/node_modules') },
        });
        expect(String(said.stdout)).toBe('2\n');
      });

      test('that the index does not have ends in error, with the builder’s words, and leaves nothing', async () => {
        const built = await build('python3.11', 'requests==0.0.0.1');
        const state = { status: 'error', status_reason: expect.stringMatching(/could not be installed/) };
        await layersOf(acme).becomes(built.id, built.version, state, BUILD_MS);
        const { body } = await layersOf(acme).log(built.id, built.version);
        expect(body).toMatchObject({
          log: expect.stringMatching(/No matching distribution found for requests==0\.0\.0\.1/),
        });
        expect((await services.observeServices()).map(({ id }) => id)).not.toContain(built.version);
      });

      test('is used by another tenant after a grant, and after its revocation only where it is used already', async () => {
        const built = await build('nodejs24', 'left-pad@1.3.0');
        await layersOf(acme).becomes(built.id, built.version, { status: 'ready' }, BUILD_MS);
        await expect(layerFolders(other.id, [built.version])).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
        await layersOf(acme).share(built.id, { project_id: other.id });
        const [folder = ''] = await layerFolders(other.id, [built.version]);
        expect(existsSync(join(folder, 'nodejs/node_modules/left-pad/index.js'))).toBe(true);
        await layersOf(acme).unshare(built.id, `project_id=${other.id}`);
        await expect(layerFolders(other.id, [built.version])).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
      });

      test('that is deleted while it is built leaves no builder', async () => {
        const built = await build('python3.11', 'six');
        await expect
          .poll(async () => (await services.observeServices()).map(({ id }) => id), { timeout: BUILD_MS })
          .toContain(built.version);
        expect((await layersOf(acme).removeVersion(built.id, built.version)).status).toBe(204);
        await expect
          .poll(async () => (await services.observeServices()).map(({ id }) => id), { timeout: BUILD_MS })
          .not.toContain(built.version);
      });

      test('is built where nothing but the index can be reached', async () => {
        const id = newId();
        const { spec, hosts, ports } = await builderOf({ id, runtime: 'python3.11', requirements: [] });
        const probe = spec.files.map((file) => (file.path === 'build.py' ? { ...file, content: PROBE } : file));
        await openWay(services.egressSocket(id), id, hosts, ports);
        const host = hosts[0] ?? '';
        const attack = { ...spec, files: probe, argv: [...spec.argv, host] };
        await expect.poll(() => services.ensureService(attack), { timeout: 60_000 }).toEqual({ settled: true });
        const lines = (await services.readLog(id, null, 100)).lines.map(({ message }) => message);
        await endBuilder(ownCell(), id);
        expect(lines).toEqual([
          'index 200',
          'elsewhere 403',
          'loopback 403',
          'platform 403',
          'directly unreachable',
          'names unknown',
          'home of others unreadable',
        ]);
      });
    },
  );
}

const PROBE = `
import os, socket, sys
def proxied(name, target):
    with socket.create_connection(("127.0.0.1", 3128), 10) as proxy:
        proxy.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
        print(name, proxy.recv(100).split(b" ")[1].decode())
def fails(name, word, attempt):
    try:
        attempt()
        print(name, "possible")
    except OSError:
        print(name, word)
proxied("index", sys.argv[1] + ":443")
proxied("elsewhere", "example.com:443")
proxied("loopback", "127.0.0.1:80")
proxied("platform", "169.254.1.1:80")
fails("directly", "unreachable", lambda: socket.create_connection(("198.51.100.1", 443), 2))
fails("names", "unknown", lambda: socket.getaddrinfo("example.com", 443))
fails("home of others", "unreadable", lambda: os.listdir("/root"))
`;
