import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { run } from '../exec';
import type { Host } from '../host';
import { namesIn, removePath } from '../record';
import { allSnapshots, allVolumes, layerFile, layersDirectory } from './layers';

const information = z.object({
  'full-backing-filename': z.string().optional(),
  'backing-filename-format': z.string().optional(),
  'actual-size': z.number(),
});

/** A layer as it lies on disk: what it stands on, and how much it holds itself. */
export type Layer = { file: string; base: { file: string; driver: string } | null; bytes: number };

/** What one QCOW2 file is and stands on. `-U`: a running guest may hold it. */
async function readLayer(file: string): Promise<Layer> {
  const answer = await run(['qemu-img', 'info', '-U', '--output=json', '-f', 'qcow2', file]);
  const found = information.parse(JSON.parse(answer));
  const base = found['full-backing-filename'];
  const driver = found['backing-filename-format'] ?? 'qcow2';
  return { file, base: base === undefined ? null : { file: base, driver }, bytes: found['actual-size'] };
}

/** All layers of this host by their file. */
export async function readLayers(host: Host): Promise<Map<string, Layer>> {
  const names = (await namesIn(layersDirectory(host))).filter((name) => name.endsWith('.qcow2'));
  const layers = await Promise.all(names.map((name) => readLayer(layerFile(host, name.slice(0, -'.qcow2'.length)))));
  return new Map(layers.map((layer) => [layer.file, layer]));
}

/** A layer's name and what lies below it, from the top, down to the first file that is no layer. */
export async function chainOf(host: Host, head: string): Promise<string[]> {
  const chain: string[] = [];
  for (let file: string | undefined = layerFile(host, head); file !== undefined && isLayer(host, file); ) {
    chain.push(basename(file, '.qcow2'));
    file = (await readLayer(file)).base?.file;
  }
  return chain;
}

/** All files that a disk is made of, from the given one down to the last, which may be an image's. */
export async function filesOf(host: Host, file: string): Promise<string[]> {
  const base = isLayer(host, file) ? (await readLayer(file)).base?.file : undefined;
  return base === undefined ? [file] : [file, ...(await filesOf(host, base))];
}

const isLayer = (host: Host, file: string) => dirname(file) === layersDirectory(host);

/** Removes the layers that no volume, no snapshot and no other layer needs any more, and what crashes left half made. */
export async function sweepLayers(host: Host): Promise<void> {
  for (const name of await namesIn(layersDirectory(host))) {
    if (name.endsWith('.new')) await removePath(join(layersDirectory(host), name));
  }
  const layers = await readLayers(host);
  const heads = [...(await allVolumes(host)).values()].map(({ head }) => layerFile(host, head));
  const frozen = [...(await allSnapshots(host)).values()].map(({ layer }) => layerFile(host, layer));
  const needed = new Set<string>();
  const queue = [...heads, ...frozen];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (needed.has(file)) continue;
    needed.add(file);
    const base = layers.get(file)?.base;
    if (base) queue.push(base.file);
  }
  for (const file of layers.keys()) if (!needed.has(file)) await removePath(file);
}

/** Layers right below a head that only serve it, and what the head would stand on without them. */
export type Surplus = { base: Layer['base']; bytes: number };

/** What of a volume's chain nobody but its own head needs; null when nothing. */
export async function surplusBelow(host: Host, head: string): Promise<Surplus | null> {
  const layers = await readLayers(host);
  const frozen = new Set([...(await allSnapshots(host)).values()].map(({ layer }) => layerFile(host, layer)));
  const users = new Map<string, number>();
  for (const { base } of layers.values()) if (base) users.set(base.file, (users.get(base.file) ?? 0) + 1);
  let base = layers.get(layerFile(host, head))?.base ?? null;
  let bytes = 0;
  let found = false;
  for (let layer = base && layers.get(base.file); layer; layer = base && layers.get(base.file)) {
    if (frozen.has(layer.file) || (users.get(layer.file) ?? 0) > 1) break;
    found = true;
    bytes += layer.bytes;
    base = layer.base;
  }
  return found ? { base, bytes } : null;
}
