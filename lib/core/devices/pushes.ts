import { execute, query, queryRow } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';

/** Queues samples for the outside store. @param stored the part of the statement that returns the keys of new samples */
export const queueing = (stored: string): Sql =>
  sql`INSERT INTO sample_pushes (device_id, shape_id, at) SELECT device_id, shape_id, at FROM ${raw(stored)}
    ON CONFLICT DO NOTHING`;

export type SampleKey = { device_id: string; shape_id: number; at: Date };
/** A queued sample. Counters never decrease. */
export type QueuedSample = SampleKey & { project_id: string; values: number[] };

/** The oldest queued keys. */
export const nextQueued = (most: number) =>
  query<SampleKey>(
    sql`SELECT device_id, shape_id, at FROM sample_pushes ORDER BY at, device_id, shape_id LIMIT ${most}::int`,
  );

/** The samples of these keys, oldest first, without those of deleted devices. */
export const samplesOf = (keys: readonly SampleKey[]) =>
  query<QueuedSample>(sql`
    SELECT s.project_id, s.device_id, s.shape_id, s.at,
      (SELECT array_agg(u.value + coalesce(u.base, 0) ORDER BY u.i)
        FROM unnest(s."values", s.base) WITH ORDINALITY AS u (value, base, i)) AS values
    FROM ${keyRows(keys)} JOIN device_samples s USING (device_id, shape_id, at) ORDER BY s.at, s.device_id, s.shape_id`);

export const removeQueued = (keys: readonly SampleKey[]) =>
  execute(sql`DELETE FROM sample_pushes p USING ${keyRows(keys)}
    WHERE p.at = k.at AND p.device_id = k.device_id AND p.shape_id = k.shape_id`);

export const clearQueue = () => execute(sql`DELETE FROM sample_pushes`);

/** Age of the oldest queued sample; 0 if none is queued. */
export async function queueAge_s(): Promise<number> {
  const { age } = await queryRow<{ age: number }>(sql`
    SELECT coalesce(greatest(0, extract(epoch FROM platform_now() - min(at))), 0)::float8 AS age FROM sample_pushes`);
  return age;
}

const keyRows = (keys: readonly SampleKey[]) => sql`
  unnest(${keys.map(({ device_id }) => device_id)}::uuid[], ${keys.map(({ shape_id }) => shape_id)}::int[],
    ${keys.map(({ at }) => at)}::timestamptz[]) AS k (device_id, shape_id, at)`;
