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
    CROSS JOIN LATERAL (SELECT ) AS amounts OFFSET 0) AS found), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AS ok FROM checks), operation AS MATERIALIZED (INSERT INTO operations ("id", "project_id", "kind", "resource_type", "resource_id", "stage", "status", "input", "attempts", "scope", "cell_id", "run_at", "deadline_at", "request_id", "created_at", "updated_at") SELECT $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, platform_now(), platform_now() + $14::float8 * interval '1 millisecond', $15, $16, $17 FROM (SELECT supersede_operations($18::uuid, $19::timestamptz) FROM verdict WHERE verdict.ok) AS superseded), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "activity") SELECT $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $36, $37, $38, $39 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
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
-- $12 "cell"
-- $13 "north"
-- $14 60000
-- $15 "a new id"
-- $16 "a time"
-- $17 "a time"
-- $18 "00000000-0000-4000-8000-000000000002"
-- $19 "a time"
-- $20 "a new id"
-- $21 "00000000-0000-4000-8000-000000000001"
-- $22 "a time"
-- $23 "user"
-- $24 "a new id"
-- $25 "a@b.test"
-- $26 "widget.create"
-- $27 "widget"
-- $28 "00000000-0000-4000-8000-000000000002"
-- $29 "lamp"
-- $30 "succeeded"
-- $31 201
-- $32 null
-- $33 "127.0.0.1"
-- $34 "a new id"
-- $35 true
-- $36 "00000000-0000-4000-8000-000000000001"
-- $37 "widget"
-- $38 "00000000-0000-4000-8000-000000000002"
-- $39 "a time"
