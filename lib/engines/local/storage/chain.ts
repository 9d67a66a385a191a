import { z } from 'zod';
import { run } from '../exec';
import type { Host } from '../host';
import { namesIn, removePath } from '../record';
import { allSnapshots, allVolumes, layerFile, layersDirectory } from './layers';

const information = z.object({ 'full-backing-filename': z.string().optional() });

/** What every layer stands on: another layer's file, an image's file, or null for nothing. */
export async function layerBases(host: Host): Promise<Map<string, string | null>> {
  const names = await namesIn(layersDirectory(host));
  const layers = names.flatMap((name) => (name.endsWith('.qcow2') ? [name.slice(0, -'.qcow2'.length)] : []));
  const bases = await Promise.all(layers.map(async (layer) => [layer, await baseOf(layerFile(host, layer))] as const));
  return new Map(bases);
}

/** What one QCOW2 file stands on. `-U`: a running guest may hold it. */
export async function baseOf(file: string): Promise<string | null> {
  const answer = await run(['qemu-img', 'info', '-U', '--output=json', '-f', 'qcow2', file]);
  return information.parse(JSON.parse(answer))['full-backing-filename'] ?? null;
}

/** Removes the layers that no volume, no snapshot and no other layer needs any more. */
export async function sweepLayers(host: Host): Promise<void> {
  const bases = await layerBases(host);
  const needed = new Set<string>();
  const roots = [...(await allVolumes(host)).values()].map(({ head }) => head);
  const frozen = [...(await allSnapshots(host)).values()].map(({ layer }) => layer);
  const queue = [...roots, ...frozen].map((layer) => layerFile(host, layer));
  const byFile = new Map([...bases].map(([layer, base]) => [layerFile(host, layer), base]));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (needed.has(file)) continue;
    needed.add(file);
    const base = byFile.get(file);
    if (base) queue.push(base);
  }
  for (const layer of bases.keys()) {
    if (!needed.has(layerFile(host, layer))) await removePath(layerFile(host, layer));
  }
}
