WITH k AS MATERIALIZED (SELECT * FROM project_accounts WHERE project_id = $1::uuid FOR UPDATE), target AS MATERIALIZED (SELECT w.status = 'idle' AS allowed, w.status AS state, w.size FROM k JOIN widgets w ON w.project_id = k.project_id
  WHERE w.id = $2::uuid FOR UPDATE OF w), checks AS MATERIALIZED (SELECT found.*, NULL::text AS limit_value, NULL::text AS used_value,
    NOT missing AND NOT forbidden AND NOT taken AND capped = 0 AND NOT frozen AND exceeded IS NULL AND NOT crowded AS passed FROM (
    SELECT k.project_id,
      target.allowed IS NULL AS missing,
      NOT coalesce(target.allowed, true) AS forbidden,
      target.state::text AS state,
      false AS taken,
      0 AS capped,
      false AS frozen,
      NULL::text AS exceeded,
      NOT (true) AS crowded
      
    FROM k LEFT JOIN target ON true
    CROSS JOIN LATERAL (SELECT ) AS amounts OFFSET 0) AS found), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AS ok FROM checks), operation AS MATERIALIZED (INSERT INTO operations ("id", "project_id", "kind", "resource_type", "resource_id", "stage", "status", "input", "attempts", "cell_id", "run_at", "deadline_at", "request_id", "created_at", "updated_at") SELECT $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, platform_now(), platform_now() + $13::float8 * interval '1 millisecond', $14, $15, $16 FROM (SELECT supersede_operations($17::uuid, $18::timestamptz) FROM verdict WHERE verdict.ok) AS superseded), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "activity") SELECT $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $35, $36, $37, $38 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    (SELECT to_jsonb(target) FROM target) AS target FROM verdict

-- $1 "00000000-0000-4000-8000-000000000001"
-- $2 "00000000-0000-4000-8000-000000000002"
-- $3 "a new id"
-- $4 "00000000-0000-4000-8000-000000000001"
-- $5 "widget.polish"
-- $6 "widget"
-- $7 "00000000-0000-4000-8000-000000000002"
-- $8 "wet"
-- $9 "pending"
-- $10 {"cloth":"soft"}
-- $11 0
-- $12 "north"
-- $13 60000
-- $14 "a new id"
-- $15 "a time"
-- $16 "a time"
-- $17 "00000000-0000-4000-8000-000000000002"
-- $18 "a time"
-- $19 "a new id"
-- $20 "00000000-0000-4000-8000-000000000001"
-- $21 "a time"
-- $22 "user"
-- $23 "a new id"
-- $24 "a@b.test"
-- $25 "widget.create"
-- $26 "widget"
-- $27 "00000000-0000-4000-8000-000000000002"
-- $28 "lamp"
-- $29 "succeeded"
-- $30 201
-- $31 null
-- $32 "127.0.0.1"
-- $33 "a new id"
-- $34 true
-- $35 "00000000-0000-4000-8000-000000000001"
-- $36 "widget"
-- $37 "00000000-0000-4000-8000-000000000002"
-- $38 "a time"
