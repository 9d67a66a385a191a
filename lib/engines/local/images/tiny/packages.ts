import { createHash } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../../../error';
import { run } from '../../exec';
import { namesIn, removePath } from '../../record';

/** Debian's kernel for virtual machines first, then Ubuntu's, whose modules are a package of their own. */
const KERNELS = ['linux-image-cloud-amd64', 'linux-image-virtual'];

const SYSTEM = [
  'busybox-static',
  'dropbear-bin',
  'libtomcrypt1',
  'libtommath1',
  'libgmp10',
  'libcrypt1',
  'zlib1g',
  'e2fsprogs',
  'libext2fs2',
  'libcom-err2',
  'libblkid1',
  'libuuid1',
  'libc6',
];

/**
 * Downloads this distribution's packages for the tiny image and unpacks them into `stage`.
 * @returns a fingerprint of what was unpacked
 */
export async function unpackPackages(cacheDir: string, stage: string): Promise<string> {
  const downloads = join(cacheDir, 'packages');
  await mkdir(downloads, { recursive: true });
  const wanted = [...(await kernelPackages()), ...(await renamed(SYSTEM))];
  await run(['apt-get', 'download', '-qq', ...wanted], { cwd: downloads, timeoutMs: 600_000 });
  await mkdir(stage, { recursive: true });
  const names = await namesIn(downloads);
  const files = wanted.map((name) => newestOf(name, names));
  for (const file of files) await run(['dpkg-deb', '-x', join(downloads, file), stage], { timeoutMs: 120_000 });
  return createHash('sha256').update(files.join()).digest('hex').slice(0, 12);
}

async function kernelPackages(): Promise<string[]> {
  for (const kernel of KERNELS) {
    const image = (await dependencies(kernel)).find((name) => /^linux-image-\d/.test(name));
    if (!image) continue;
    const modules = (await dependencies(image)).filter((name) => /^linux-modules-\d/.test(name));
    return [image, ...modules];
  }
  throw new EngineError(
    'ENGINE_UNAVAILABLE',
    `The tiny image needs one of ${KERNELS.join(', ')}, but apt finds none of them. Run: apt-get update`,
  );
}

async function dependencies(name: string): Promise<string[]> {
  const output = await run(['apt-cache', 'depends', '--important', name]).catch(() => '');
  return [...output.matchAll(/Depends: (\S+)/g)].flatMap(([, dependency]) => dependency ?? []);
}

/** Since the change to 64-bit time some libraries end in `t64`. */
async function renamed(names: string[]): Promise<string[]> {
  const known = new Set((await run(['apt-cache', 'pkgnames', 'lib'])).split('\n'));
  return names.map((name) =>
    name.startsWith('lib') && !known.has(name) && known.has(`${name}t64`) ? `${name}t64` : name,
  );
}

function newestOf(name: string, files: string[]): string {
  const newest = files
    .filter((file) => file.startsWith(`${name}_`))
    .sort()
    .at(-1);
  if (newest) return newest;
  throw new EngineError('ENGINE_ERROR', `apt-get download did not fetch ${name}.`);
}

/** Moves a finished build into place; a crash leaves nothing that looks finished. */
export async function publish(draft: string, file: string): Promise<void> {
  await removePath(file);
  await rename(draft, file);
}
