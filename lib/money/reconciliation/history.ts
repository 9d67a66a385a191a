import { raw, type Sql, sql } from '@/lib/core/db/sql';

const RUNNING = raw(`('active', 'paused', 'rebooting', 'rebuilding')`);

/**
 * What should be billed by what resources were: the rules of billing written once more, apart from the triggers that bill,
 * as CTEs that end in `history` (project_id, resource_type, resource_id, metric, quantity, begins, ends). It reads the
 * history of resources and nothing of what was metered.
 *
 * Compute is billed while an instance is on, its boot disk from the first `active` until it is deleted; volumes while they
 * are whole, in the size they have grown to; snapshots and images while they can be used. A machine that turned out to be
 * lost ran until it was last known to, but what an invoice held by then stays.
 */
export function history(until: Date): Sql {
  return sql`
    loss AS MATERIALIZED (
      SELECT l.id, l.resource_id, greatest(l.at, run.began, (
          SELECT max(i.month + interval '1 month') AT TIME ZONE 'UTC' FROM invoices i
          WHERE i.project_id = l.project_id AND i.issued_at <= seen.at)) AS ran_until
      FROM resource_states l
      LEFT JOIN LATERAL (SELECT n.at FROM resource_states n WHERE n.resource_id = l.resource_id AND n.id > l.id ORDER BY n.id LIMIT 1) AS seen ON true
      CROSS JOIN LATERAL (
        SELECT min(r.at) AS began FROM resource_states r
        WHERE r.resource_id = l.resource_id AND r.id < l.id AND r.status IN ${RUNNING} AND r.id > coalesce((
          SELECT max(off.id) FROM resource_states off
          WHERE off.resource_id = l.resource_id AND off.id < l.id AND off.status NOT IN ${RUNNING}), 0)) AS run
      WHERE l.status = 'lost' AND run.began IS NOT NULL),
    power AS (
      SELECT s.id, s.project_id, s.resource_type, s.resource_id, s.size, s.status IN ${RUNNING} AS billed, coalesce(loss.ran_until, s.at) AS at,
        ARRAY['compute_vcpu', 'compute_memory', 'gpu_slice'] AS metrics
      FROM resource_states s LEFT JOIN loss ON loss.id = s.id
      WHERE s.resource_type = 'instance' AND (s.status <> 'lost' OR loss.id IS NOT NULL)
        AND NOT EXISTS (SELECT FROM loss l WHERE l.resource_id = s.resource_id AND l.id > s.id AND l.ran_until <= s.at)),
    disk AS (
      SELECT s.id, s.project_id, s.resource_type, s.resource_id, s.size, s.status NOT IN ('deleting', 'gone') AND EXISTS (
          SELECT FROM resource_states first WHERE first.resource_id = s.resource_id AND first.status = 'active' AND first.id <= s.id) AS billed,
        s.at, ARRAY['block_storage'] AS metrics
      FROM resource_states s WHERE s.resource_type = 'instance' AND s.status <> 'lost'),
    stored AS (
      SELECT s.id, s.project_id, s.resource_type, s.resource_id, s.size, CASE s.resource_type
          WHEN 'volume' THEN s.status NOT IN ('creating', 'deleting', 'error', 'gone')
          WHEN 'snapshot' THEN s.status = 'available'
          ELSE s.status = 'active' END AS billed,
        s.at, ARRAY['block_storage', 'image_storage'] AS metrics
      FROM resource_states s WHERE s.resource_type IN ('volume', 'snapshot', 'image') AND s.status <> 'resizing'),
    timeline AS (
      SELECT t.*, lead(t.at) OVER (PARTITION BY t.resource_id, t.metrics ORDER BY t.at, t.id) AS ends
      FROM (SELECT * FROM power UNION ALL SELECT * FROM disk UNION ALL SELECT * FROM stored) AS t WHERE t.at < ${until}::timestamptz),
    history AS (
      SELECT t.project_id, t.resource_type, t.resource_id, part.metric, part.amount::numeric AS quantity, t.at AS begins, t.ends
      FROM timeline t CROSS JOIN LATERAL jsonb_each_text(t.size) AS part (metric, amount)
      WHERE t.billed AND part.metric = ANY (t.metrics) AND part.amount::numeric > 0)`;
}
