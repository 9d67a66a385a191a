import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ensureKeys } from '@/lib/runtime/keys';
import { forgetSettings } from '@/lib/settings';

const dataDir = mkdtempSync(join(tmpdir(), 'neph-layer-crash-'));
process.env.DATA_DIR = dataDir;
forgetSettings();
ensureKeys();

const { startWorker } = await import('@/lib/core/operations/worker');
const { versionFolder } = await import('@/lib/domains/layers/content');
const { layerSteps } = await import('@/lib/domains/layers/steps');
const { replaceEngines } = await import('@/lib/engines/engines');
const { detailOf } = await import('@/lib/engines/error');
const { PROGRAMS } = await import('@/lib/engines/local/catalogue/catalogue');
const { fetchProgram } = await import('@/lib/engines/local/catalogue/store');
const { describeHost } = await import('@/lib/engines/local/host');
const { endProcess, findProcesses } = await import('@/lib/engines/local/processes');
const { serviceTrouble } = await import('@/lib/engines/local/services/limits');
const { LocalServices } = await import('@/lib/engines/local/services/local-services');
const { removeVolatile } = await import('@/lib/engines/local/services/volatile');
const { ownCell } = await import('@/lib/settings');
const { testDatabase } = await import('@/lib/testing/database');
const { createCell } = await import('@/lib/testing/hosts');
const { idIn, layersOf } = await import('@/lib/testing/layer-world');
const { MemoryEngines } = await import('@/lib/testing/memory-engines');
const { createProject } = await import('@/lib/testing/world');

testDatabase();
const cacheDir = join(tmpdir(), `nephele-test-cache-${process.getuid?.()}`);
const host = describeHost({ dataDir, cacheDir });

async function troubleHere(): Promise<string | null> {
  try {
    for (const program of PROGRAMS) if (program.name === 'layer-builder') await fetchProgram(host, program);
    return await serviceTrouble(host);
  } catch (error) {
    return detailOf(error);
  }
}

const trouble = await troubleHere();
if (trouble !== null && process.env.CI) throw new Error(trouble);

const BUILD_MS = 240_000;

describe.skipIf(trouble !== null)(`a layer whose worker is killed${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  const services = new LocalServices(host);
  const children = new Set<ChildProcess>();
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const { id } of await services.observeServices()) await services.removeService(id);
    for (const process of findProcesses(host)) await endProcess(process);
    await removeVolatile(host);
    rmSync(dataDir, { recursive: true, force: true });
  }, 120_000);

  function spawnWorker(): ChildProcess {
    const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/layer-worker.ts'], {
      env: { ...process.env, PROGRAM_CACHE: cacheDir },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    children.add(child);
    return child;
  }

  test('while it is built is built once by the next one, and nothing else is left', {
    timeout: 2 * BUILD_MS,
  }, async () => {
    replaceEngines(Object.assign(new MemoryEngines(), { services }));
    await createCell(ownCell());
    const layers = layersOf(await createProject('acme'));
    const layer = idIn(await layers.create('clients'));
    const version = idIn(await layers.require(layer, 'python3.11', 'requests==2.32.3'));
    const child = spawnWorker();
    await expect
      .poll(async () => (await services.observeServices()).map(({ id, power }) => `${id} ${power}`), {
        timeout: BUILD_MS,
        interval: 20,
      })
      .toEqual([`${version} running`]);
    const builds = new Set<string>();
    const look = async () => {
      for (const { id, startedAt, starts } of await services.observeServices())
        if (startedAt) builds.add(`${id} ${startedAt.toISOString()} ${starts}`);
    };
    await look();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    expect((await layers.version(layer, version)).body).toMatchObject({ status: 'building' });

    const worker = startWorker({ steps: layerSteps, jobs: [], backoff: () => 200 });
    const looking = setInterval(() => look().catch(() => {}), 50);
    try {
      await layers.becomes(layer, version, { status: 'ready', version: 1, same_as: null }, BUILD_MS);
    } finally {
      clearInterval(looking);
      await worker.stop();
    }
    // The builder went on through the kill: no second one was started in its place.
    expect([...builds]).toHaveLength(1);
    expect((await layers.versions(layer)).body).toMatchObject([{ id: version }]);
    expect(await services.observeServices()).toEqual([]);
    const folder = versionFolder(version);
    const left = readdirSync(dirname(folder)).filter((name) => name.includes(version.slice(-12)));
    expect(left.toSorted()).toEqual([folder, `${folder}.json`].map((path) => path.slice(dirname(folder).length + 1)));
  });
});
