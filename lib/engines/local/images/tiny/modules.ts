import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run } from '../../exec';

/** What the guest needs before its root partition can be mounted. */
const EARLY = ['virtio_pci_modern_dev', 'virtio_pci_legacy_dev', 'virtio_pci', 'virtio_blk', 'ext4'];
/** What it needs after that: network, volumes, seed, power button, random numbers, memory statistics. */
const LATE = [
  'nls_cp437',
  'nls_ascii',
  'nls_utf8',
  'vfat',
  'button',
  'evdev',
  'virtio_net',
  'virtio_scsi',
  'sd_mod',
  'sr_mod',
  'isofs',
  'virtio_rng',
  'virtio_balloon',
];

type Module = { name: string; file: string };

/** Kernel modules in the order in which they load, each after those it depends on; built-in ones fall away. */
export async function orderedModules(moduleTree: string): Promise<{ early: Module[]; late: Module[] }> {
  const files = new Map<string, string>();
  for (const entry of await readdir(moduleTree, { recursive: true, withFileTypes: true })) {
    const match = /^(.+)\.ko(\.xz|\.zst)?$/.exec(entry.name);
    if (match?.[1]) files.set(normal(match[1]), join(entry.parentPath, entry.name));
  }
  const taken = new Set<string>();
  const early: Module[] = [];
  const late: Module[] = [];
  for (const name of EARLY) await takeWithDependencies(name, files, taken, early);
  for (const name of LATE) await takeWithDependencies(name, files, taken, late);
  return { early, late };
}

async function takeWithDependencies(name: string, files: Map<string, string>, taken: Set<string>, order: Module[]) {
  const packed = files.get(normal(name));
  if (!packed || taken.has(normal(name))) return;
  taken.add(normal(name));
  const file = await unpacked(packed);
  const dependencies = /(?:^|\0)depends=([^\0]*)/.exec(await readFile(file, 'latin1'))?.[1] ?? '';
  for (const dependency of dependencies.split(',').filter(Boolean)) {
    await takeWithDependencies(dependency, files, taken, order);
  }
  order.push({ name: basename(file), file });
}

/** Newer distributions compress their modules. */
async function unpacked(file: string): Promise<string> {
  if (file.endsWith('.xz')) await run(['xz', '-dkf', file]);
  if (file.endsWith('.zst')) await run(['zstd', '-dqkf', file]);
  return file.replace(/\.(xz|zst)$/, '');
}

const normal = (name: string) => name.replaceAll('-', '_');
