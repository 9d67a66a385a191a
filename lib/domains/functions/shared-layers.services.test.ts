import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ensureKeys } from '@/lib/runtime/keys';
import { forgetSettings } from '@/lib/settings';

/** What functions call: private, but let in by the operator. */
const TARGET = '127.0.0.77';
const dataDir = mkdtempSync(join(tmpdir(), 'neph-shared-'));
process.env.DATA_DIR = dataDir;
process.env.ALLOW_PRIVATE_URLS = TARGET;
forgetSettings();
ensureKeys();

const { onChange } = await import('@/lib/core/db/changes');
const { newId } = await import('@/lib/core/db/id');
const { startWorker } = await import('@/lib/core/operations/worker');
const { FunctionHost } = await import('@/lib/domains/functions/pool/host');
const { layersFolder } = await import('@/lib/domains/layers/content');
const { layerSteps } = await import('@/lib/domains/layers/steps');
const { replaceEngines } = await import('@/lib/engines/engines');
const { detailOf } = await import('@/lib/engines/error');
const { PROGRAMS } = await import('@/lib/engines/local/catalogue/catalogue');
const { fetchProgram } = await import('@/lib/engines/local/catalogue/store');
const { LocalFunctions } = await import('@/lib/engines/local/functions/local-functions');
const { functionTrouble } = await import('@/lib/engines/local/functions/trial');
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
const { repeat } = await import('@/lib/testing/repeat');
const { api, createProject } = await import('@/lib/testing/world');
type TestProject = Awaited<ReturnType<typeof createProject>>;

testDatabase();
const host = describeHost({ dataDir, cacheDir: join(tmpdir(), `nephele-test-cache-${process.getuid?.()}`) });

async function troubleHere(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'port 80 is for root alone';
  try {
    for (const program of PROGRAMS) {
      if (['layer-builder', 'python', 'node'].includes(program.name)) await fetchProgram(host, program);
    }
    return (await serviceTrouble(host)) ?? (await functionTrouble(host));
  } catch (error) {
    return detailOf(error);
  }
}

const trouble = await troubleHere();
if (trouble !== null && process.env.CI) throw new Error(trouble);

const BUILD_MS = 240_000;

const PYTHON = `import requests
def handler(event, context):
    return [requests.__version__, requests.get(event, timeout=10).text]
`;
const NODE = `import { createRequire } from 'node:module';
const { chunk } = createRequire(import.meta.url)('lodash');
export const handler = async (event) => [chunk([1, 2, 3], 2), await (await fetch(event)).text()];
`;

describe.skipIf(trouble !== null)(`layers of another tenant${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  const services = new LocalServices(host);
  const call = api();
  const ends: (() => unknown)[] = [];
  let pool: InstanceType<typeof FunctionHost>;
  let target: Server;
  let acme: TestProject;
  let other: TestProject;
  let stranger: TestProject;
  beforeAll(async () => {
    replaceEngines(Object.assign(new MemoryEngines(), { services, functions: new LocalFunctions(host) }));
    await createCell(ownCell());
    [acme, other, stranger] = await Promise.all([
      createProject('acme'),
      createProject('other'),
      createProject('stranger'),
    ]);
    const worker = startWorker({ steps: layerSteps, jobs: [], backoff: () => 200 });
    pool = new FunctionHost(ownCell());
    const changes = onChange(() => pool.look());
    ends.push(
      repeat(100, () => pool.look()),
      () => changes.stop(),
      () => worker.stop(),
    );
    target = createServer(({ url }, answer) => answer.end(`seen ${url}`));
    await new Promise<void>((resolve, reject) => target.once('error', reject).listen(80, TARGET, resolve));
  }, 120_000);
  afterAll(async () => {
    for (const end of ends) await end();
    await pool?.end();
    target?.close();
    for (const { id } of await services.observeServices()) await services.removeService(id);
    for (const process of findProcesses(host)) await endProcess(process);
    await removeVolatile(host);
    rmSync(dataDir, { recursive: true, force: true });
  }, 120_000);

  async function build(runtime: string, requirement: string) {
    const layers = layersOf(acme);
    const id = idIn(await layers.create(`layer ${newId()}`));
    const version = idIn(await layers.require(id, runtime, requirement));
    await layers.becomes(id, version, { status: 'ready' }, BUILD_MS);
    return { id, version };
  }
  const deploy = (project: TestProject, name: string, template_id: string, code: string, version: string) =>
    call('POST', '/functions', {
      token: project.users.member.token,
      body: {
        name,
        template_id,
        code,
        network: 'outbound',
        layer_version_ids: [version],
        memory_mb: 256,
        timeout_s: 30,
      },
    });
  async function result(project: TestProject, id: string, event: string) {
    const token = project.users.member.token;
    await vi.waitFor(
      async () =>
        expect((await call('GET', `/functions/${id}`, { token })).body).toMatchObject({
          status: 'active',
          status_reason: null,
        }),
      { timeout: 60_000, interval: 50 },
    );
    return (await call('POST', `/functions/${id}/invoke`, { token, body: { payload: event } })).body;
  }

  test('serve its functions: requests of a public layer, lodash of one that is shared with it, each with its way out', {
    timeout: 2 * BUILD_MS,
  }, async () => {
    const [python, node] = await Promise.all([
      build('python3.11', 'requests==2.32.3'),
      build('nodejs24', 'lodash@4.17.21'),
    ]);
    expect((await deploy(other, 'early', 'python3.11', PYTHON, python.version)).status).toBe(404);
    expect((await layersOf(acme).share(python.id, { public: true })).status).toBe(201);
    expect((await layersOf(acme).share(node.id, { project_id: other.id })).status).toBe(201);
    // Shared with one project: a third one does not know of it.
    expect((await deploy(stranger, 'lodash', 'nodejs24', NODE, node.version)).status).toBe(404);

    const url = `http://${TARGET}/from-a-layer`;
    const one = idIn(await deploy(other, 'requests', 'python3.11', PYTHON, python.version));
    expect(await result(other, one, url)).toMatchObject({
      status: 'succeeded',
      result: ['2.32.3', 'seen /from-a-layer'],
    });
    const two = idIn(await deploy(other, 'lodash', 'nodejs24', NODE, node.version));
    expect(await result(other, two, url)).toMatchObject({
      status: 'succeeded',
      result: [[[1, 2], [3]], 'seen /from-a-layer'],
    });
    // The proxy is the only way, and it refuses what the operator has not let in.
    expect(await result(other, one, 'http://127.0.0.1/')).not.toMatchObject({ result: ['2.32.3', 'seen /'] });

    // Taken back: who uses it goes on, also in a new version and on a new instance; nobody else can name it.
    expect((await layersOf(acme).unshare(node.id, `project_id=${other.id}`)).status).toBe(204);
    expect((await layersOf(acme).unshare(python.id, 'public=true')).status).toBe(204);
    expect((await deploy(other, 'late', 'nodejs24', NODE, node.version)).status).toBe(404);
    expect((await deploy(stranger, 'late', 'python3.11', PYTHON, python.version)).status).toBe(404);
    const again = await call('PUT', `/functions/${two}`, {
      token: other.users.member.token,
      body: {
        template_id: 'nodejs24',
        code: `${NODE}// Again.\n`,
        network: 'outbound',
        layer_version_ids: [node.version],
        memory_mb: 256,
      },
    });
    expect([again.status, again.body]).toMatchObject([200, { version: 2 }]);
    expect(await result(other, two, url)).toMatchObject({ status: 'succeeded', cold_start: false });
    // A deleted layer too.
    expect((await layersOf(acme).remove(python.id)).status).toBe(204);
    pool.pool.instances.retire(one, null);
    await vi.waitFor(
      () => expect(pool.pool.instances.versions().map(({ function_id }) => function_id)).not.toContain(one),
      15_000,
    );
    expect(await result(other, one, url)).toMatchObject({ status: 'succeeded', cold_start: true });
  });

  test('may have extensions in C++', { timeout: BUILD_MS }, async () => {
    const { version } = await build('python3.11', 'ujson==5.11.0');
    const code = 'import ujson\ndef handler(event, context):\n    return ujson.loads(event)\n';
    const id = idIn(await deploy(acme, 'native', 'python3.11', code, version));
    expect(await result(acme, id, '{"read": [1.5]}')).toMatchObject({ status: 'succeeded', result: { read: [1.5] } });
  });

  test('leave nothing behind when they can’t be built', { timeout: BUILD_MS }, async () => {
    const layers = layersOf(acme);
    const before = readdirSync(layersFolder()).length;
    const id = idIn(await layers.create('missing'));
    const version = idIn(await layers.require(id, 'nodejs24', 'lodash@0.0.0-none'));
    await layers.becomes(id, version, { status: 'error' }, BUILD_MS);
    expect(readdirSync(layersFolder())).toHaveLength(before);
    expect(await services.observeServices()).toEqual([]);
  });
});
