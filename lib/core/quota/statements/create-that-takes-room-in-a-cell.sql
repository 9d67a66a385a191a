WITH account AS MATERIALIZED (SELECT * FROM project_accounts WHERE project_id = $1::uuid FOR UPDATE), locked_router AS MATERIALIZED (SELECT r.project_id FROM account JOIN routers r ON r.project_id = account.project_id FOR UPDATE OF r), locked_cells AS MATERIALIZED (SELECT cell.* FROM (SELECT count(*) FROM locked_router) AS router_first CROSS JOIN cells cell
        WHERE cell.id = ANY ($2::text[]) ORDER BY cell.id FOR UPDATE OF cell), k AS MATERIALIZED (SELECT account.* FROM account CROSS JOIN (SELECT count(*) FROM locked_cells) AS cells_first), target AS MATERIALIZED (SELECT w.status = 'idle' AS allowed, w.status AS state, w.size FROM k JOIN widgets w ON w.project_id = k.project_id
  WHERE w.id = $3::uuid FOR UPDATE OF w), needed AS MATERIALIZED (SELECT cell.id AS cell_id, $4::uuid AS device_id, part.kind, part.amount
      FROM locked_cells AS cell CROSS JOIN target
      CROSS JOIN LATERAL (VALUES ('vcpus', ($5)::int), ('memory_mb', (512 + cell.memory_mb_overhead)::int), ('disk_gb', ($6)::int)) AS part (kind, amount) WHERE cell.id = $7::text), demand AS MATERIALIZED (SELECT cell_id, coalesce(sum(amount) FILTER (WHERE kind = 'vcpus'), 0)::int AS vcpus, coalesce(sum(amount) FILTER (WHERE kind = 'memory_mb'), 0)::int AS memory_mb, coalesce(sum(amount) FILTER (WHERE kind = 'disk_gb'), 0)::int AS disk_gb, coalesce(sum(amount) FILTER (WHERE kind = 'gpu_slices'), 0)::int AS gpu_slices FROM needed GROUP BY cell_id), checks AS MATERIALIZED (SELECT found.*, NULL::text AS limit_value, NULL::text AS used_value,
    NOT missing AND NOT forbidden AND NOT taken AND capped = 0 AND NOT frozen AND exceeded IS NULL AND NOT crowded AS passed FROM (
    SELECT k.project_id,
      target.allowed IS NULL AS missing,
      NOT coalesce(target.allowed, true) AS forbidden,
      target.state::text AS state,
      false AS taken,
      0 AS capped,
      false AS frozen,
      NULL::text AS exceeded,
      NOT (true) OR EXISTS (SELECT FROM unnest($8::text[]) AS wanted (id) LEFT JOIN locked_cells AS cell ON cell.id = wanted.id
    LEFT JOIN demand ON demand.cell_id = cell.id WHERE cell.id IS NULL OR (demand.vcpus > 0 AND cell.vcpus_reserved + demand.vcpus > cell.vcpus_usable) OR (demand.memory_mb > 0 AND cell.memory_mb_reserved + demand.memory_mb > cell.memory_mb_usable) OR (demand.disk_gb > 0 AND cell.disk_gb_reserved + demand.disk_gb > cell.disk_gb_usable) OR (demand.gpu_slices > 0 AND cell.gpu_slices_reserved + demand.gpu_slices > cell.gpu_slices_usable)) AS crowded
      
    FROM k LEFT JOIN target ON true
    CROSS JOIN LATERAL (SELECT ) AS amounts OFFSET 0) AS found), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AS ok FROM checks), reserved AS MATERIALIZED (INSERT INTO reservations (project_id, cell_id, device_id, kind, amount)
        SELECT verdict.project_id, needed.cell_id, needed.device_id, needed.kind, sum(needed.amount)
        FROM verdict CROSS JOIN needed WHERE verdict.ok GROUP BY 1, 2, 3, 4 HAVING sum(needed.amount) <> 0
        ON CONFLICT (device_id, cell_id, kind) DO UPDATE SET amount = reservations.amount + excluded.amount), occupied AS MATERIALIZED (UPDATE cells SET vcpus_reserved = greatest(0, cell.vcpus_reserved + demand.vcpus), memory_mb_reserved = greatest(0, cell.memory_mb_reserved + demand.memory_mb), disk_gb_reserved = greatest(0, cell.disk_gb_reserved + demand.disk_gb), gpu_slices_reserved = greatest(0, cell.gpu_slices_reserved + demand.gpu_slices) FROM verdict, locked_cells AS cell JOIN demand ON demand.cell_id = cell.id
        WHERE verdict.ok AND cells.id = cell.id), changed AS MATERIALIZED (UPDATE widgets SET status = 'busy' FROM verdict WHERE verdict.ok AND widgets.id = $9::uuid), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "activity") SELECT $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $26, $27, $28, $29 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    (SELECT to_jsonb(target) FROM target) AS target FROM verdict

-- $1 "00000000-0000-4000-8000-000000000001"
-- $2 ["north"]
-- $3 "00000000-0000-4000-8000-000000000002"
-- $4 "00000000-0000-4000-8000-000000000002"
-- $5 2
-- $6 0
-- $7 "north"
-- $8 ["north"]
-- $9 "00000000-0000-4000-8000-000000000002"
-- $10 "a new id"
-- $11 "00000000-0000-4000-8000-000000000001"
-- $12 "a time"
-- $13 "user"
-- $14 "a new id"
-- $15 "a@b.test"
-- $16 "widget.create"
-- $17 "widget"
-- $18 "00000000-0000-4000-8000-000000000002"
-- $19 "lamp"
-- $20 "succeeded"
-- $21 201
-- $22 null
-- $23 "127.0.0.1"
-- $24 "a new id"
-- $25 true
-- $26 "00000000-0000-4000-8000-000000000001"
-- $27 "widget"
-- $28 "00000000-0000-4000-8000-000000000002"
-- $29 "a time"
