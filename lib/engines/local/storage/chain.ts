import { z } from 'zod';
import { run } from '../exec';
import type { Host } from '../host';
import { namesIn } from '../record';
import { layerFile, layersDirectory } from './layers';

const information = z.object({ 'full-backing-filename': z.string().optional() });

/** What every layer stands on: another layer's file, an image's file, or null for nothing. */
export async function layerBases(host: Host): Promise<Map<string, string | null>> {
  const layers = (await namesIn(layersDirectory(host))).flatMap((name) =>
    name.endsWith('.qcow2') ? name.slice(0, -6) : [],
  );
  const bases = await Promise.all(layers.map(async (layer) => [layer, await baseOf(layerFile(host, layer))] as const));
  return new Map(bases);
}

/** What one QCOW2 file stands on. `-U`: a running guest may hold it. */
export async function baseOf(file: string): Promise<string | null> {
  const answer = await run(['qemu-img', 'info', '-U', '--output=json', '-f', 'qcow2', file]);
  return information.parse(JSON.parse(answer))['full-backing-filename'] ?? null;
}
