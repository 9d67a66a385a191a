import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { keepSamples } from '@/lib/core/devices/samples';
import { engineOf } from '@/lib/engines/engines';
import { volumeSpaceSeries } from './volume-metrics';

/** Records the size of the cell's volumes, and the space that they take. */
export async function sampleVolumes(cell: string): Promise<void> {
  const rows = await query<{ id: string; project_id: string }>(
    sql`SELECT id, project_id FROM volumes WHERE cell_id = ${cell}::text`,
  );
  if (rows.length === 0) return;
  const { volumes } = await engineOf(cell).storage.observeStorage();
  const at = now();
  const owners = new Map(rows.map(({ id, project_id }) => [id, project_id]));
  const samples = volumes.flatMap(({ id, sizeGb, allocatedBytes }) => {
    const project_id = owners.get(id);
    return project_id ? [{ project_id, device_id: id, at, values: [sizeGb * 1024 ** 3, allocatedBytes] }] : [];
  });
  await keepSamples(volumeSpaceSeries, samples);
}
