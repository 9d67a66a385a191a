import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type Metric, seriesOf } from '@/lib/core/devices/metric';
import { keepSamples } from '@/lib/core/devices/samples';

const gauge = (name: string, unit: string, help: string): Metric => ({
  name: `nephele_bucket_${name}_${unit}`,
  type: 'gauge',
  unit,
  help,
});

/** The metrics of a bucket, in the order of their values in a sample. */
export const bucketMetrics: readonly Metric[] = [
  gauge('used', 'bytes', 'Bytes of all versions, and of the parts of unfinished uploads.'),
  gauge('stored', 'objects', 'Objects, without former versions.'),
];
const series = seriesOf(bucketMetrics);

/** Records the size of every bucket. */
export async function sampleBuckets(): Promise<void> {
  const buckets = await query<{ id: string; project_id: string; used: number; objects: number }>(
    sql`SELECT id, project_id, used_bytes::float8 AS used, objects::float8 AS objects FROM buckets`,
  );
  const at = now();
  await keepSamples(
    series,
    buckets.map(({ id, project_id, used, objects }) => ({ project_id, device_id: id, at, values: [used, objects] })),
  );
}
