import { createHash } from 'node:crypto';
import { chmod, copyFile, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError } from '../../error';
import { run } from '../exec';
import { namesIn, removePath } from '../record';
import { makeWorkFolder } from '../work-folder';
import { assembleDisk } from './tiny/disk';
import { orderedModules } from './tiny/modules';
import { publish, unpackPackages } from './tiny/packages';

// Not `new URL('./tiny', import.meta.url)`: the bundler of the pages would look for a module of that name.
const SOURCES = join(dirname(fileURLToPath(import.meta.url)), 'tiny');

/** Programs and libraries of the root file system: where Debian has them, or had them before /usr was merged. */
const PROGRAMS = ['dropbear', 'dropbearkey', 'resize2fs'];
const LIBRARIES =
  /^(libc|libm|libcrypt|libz|libtomcrypt|libtommath|libgmp|libext2fs|libcom_err|libblkid|libuuid|libe2p|libnss_(files|dns)|libresolv)\.so/;

/**
 * Builds nephele-tiny: a bootable disk of Debian's kernel, BusyBox and Dropbear, with no root and no mounts. The result
 * is kept in the cache folder, so the next build of the same packages is a copy.
 * @returns the path of a QCOW2 file in the cache
 */
export async function buildTinyDisk(cacheDir: string): Promise<string> {
  const work = await makeWorkFolder(cacheDir, 'tiny');
  try {
    const stage = join(work, 'stage');
    const fingerprint = await unpackPackages(cacheDir, stage);
    const finished = join(cacheDir, `${await namePrefix()}${fingerprint}.qcow2`);
    const initramfs = await makeInitramfs(stage, work);
    const root = await makeRoot(stage, work);
    const kernel = await only(join(stage, 'boot'), /^vmlinuz-/);
    const disk = await assembleDisk({ work, root, kernel, initramfs, syslinuxConfig: join(SOURCES, 'syslinux.cfg') });
    await publish(disk, finished);
    return finished;
  } finally {
    await removePath(work);
  }
}

/** The disk that was built from these very sources, if any; a changed script means a new build. */
export async function builtTinyDisk(cacheDir: string): Promise<string | null> {
  const prefix = await namePrefix();
  const name = (await namesIn(cacheDir)).filter((entry) => entry.startsWith(prefix) && entry.endsWith('.qcow2')).at(-1);
  return name ? join(cacheDir, name) : null;
}

async function namePrefix(): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(SOURCES, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(await readFile(file));
  return `nephele-tiny-${hash.digest('hex').slice(0, 12)}-`;
}

async function makeInitramfs(stage: string, work: string): Promise<string> {
  const tree = join(work, 'initramfs');
  for (const directory of ['bin', 'dev', 'proc', 'sys', 'root', 'lib/modules']) {
    await mkdir(join(tree, directory), { recursive: true });
  }
  const busybox = await firstOf(stage, ['usr/bin/busybox', 'bin/busybox']);
  await copyFile(busybox, join(tree, 'bin/busybox'));
  await copyFile(join(SOURCES, 'init'), join(tree, 'init'));
  await chmod(join(tree, 'init'), 0o755);
  const { early } = await orderedModules(await moduleTree(stage));
  await placeModules(early, join(tree, 'lib/modules'));
  const archive = join(work, 'initramfs.cpio.gz');
  const pack = `find . | ${busybox} cpio -o -H newc -R 0:0 2>/dev/null | gzip -9 > ${archive}`;
  await run(['sh', '-c', pack], { cwd: tree });
  return archive;
}

async function makeRoot(stage: string, work: string): Promise<string> {
  const tree = join(work, 'root');
  await cp(join(SOURCES, 'rootfs'), tree, { recursive: true });
  const empty = ['bin', 'boot', 'dev', 'lib/modules', 'lib64', 'mnt', 'proc', 'root', 'run', 'sys', 'tmp', 'usr'];
  for (const directory of [...empty, 'var/lib', 'var/log', 'www', 'etc/dropbear']) {
    await mkdir(join(tree, directory), { recursive: true });
  }
  for (const script of ['etc/init.d/rcS', 'etc/init.d/seed', 'etc/init.d/late', 'etc/acpi/PWRF/00000080']) {
    await chmod(join(tree, script), 0o755);
  }
  for (const script of await readdir(join(tree, 'bin'))) await chmod(join(tree, 'bin', script), 0o755);
  await placePrograms(stage, tree);
  const { late } = await orderedModules(await moduleTree(stage));
  await placeModules(late, join(tree, 'lib/modules'));
  return tree;
}

async function placePrograms(stage: string, tree: string): Promise<void> {
  const busybox = await firstOf(stage, ['usr/bin/busybox', 'bin/busybox']);
  await copyFile(busybox, join(tree, 'bin/busybox'));
  for (const applet of (await run([busybox, '--list'])).split('\n')) {
    if (applet && applet !== 'busybox') await symlink('busybox', join(tree, 'bin', applet));
  }
  for (const link of ['sbin', 'usr/bin', 'usr/sbin']) {
    await symlink(link.includes('/') ? '../bin' : 'bin', join(tree, link));
  }
  for (const program of PROGRAMS) {
    const file = await firstOf(stage, [`usr/sbin/${program}`, `usr/bin/${program}`, `sbin/${program}`]);
    await copyFile(file, join(tree, 'bin', program));
  }
  for (const entry of await readdir(stage, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (LIBRARIES.test(entry.name)) await copyFile(file, join(tree, 'lib', entry.name));
    if (/^ld-linux-x86-64\.so/.test(entry.name)) await copyFile(file, join(tree, 'lib64', entry.name));
  }
}

async function placeModules(modules: { name: string; file: string }[], directory: string): Promise<void> {
  for (const module of modules) await copyFile(module.file, join(directory, module.name));
  await writeFile(join(directory, 'load'), modules.map((module) => `${module.name}\n`).join(''));
}

async function moduleTree(stage: string): Promise<string> {
  return only(await firstOf(stage, ['usr/lib/modules', 'lib/modules']), /^\d/);
}

async function only(directory: string, pattern: RegExp): Promise<string> {
  const name = (await readdir(directory)).find((entry) => pattern.test(entry));
  if (name) return join(directory, name);
  throw new EngineError('ENGINE_ERROR', `The kernel package contains nothing that matches ${pattern} in ${directory}.`);
}

async function firstOf(stage: string, candidates: string[]): Promise<string> {
  for (const candidate of candidates) {
    const [name = '', ...above] = candidate.split('/').reverse();
    const directory = join(stage, ...above.reverse());
    if ((await namesIn(directory)).includes(name)) return join(directory, name);
  }
  throw new EngineError('ENGINE_ERROR', `The packages of the tiny image contain none of ${candidates.join(', ')}.`);
}
