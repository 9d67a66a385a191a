WITH k AS MATERIALIZED (SELECT $1::uuid AS project_id), target AS MATERIALIZED (SELECT w.status = 'idle' AS allowed, w.status AS state, w.size FROM k JOIN widgets w ON w.project_id = k.project_id
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
    CROSS JOIN LATERAL (SELECT ) AS amounts OFFSET 0) AS found), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AS ok FROM checks), changed AS MATERIALIZED (UPDATE widgets SET status = 'busy' FROM verdict WHERE verdict.ok AND widgets.id = $3::uuid), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "activity") SELECT $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $20, $21, $22, $23 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    (SELECT to_jsonb(target) FROM target) AS target FROM verdict

-- $1 "00000000-0000-4000-8000-000000000001"
-- $2 "00000000-0000-4000-8000-000000000002"
-- $3 "00000000-0000-4000-8000-000000000002"
-- $4 "a new id"
-- $5 "00000000-0000-4000-8000-000000000001"
-- $6 "a time"
-- $7 "user"
-- $8 "a new id"
-- $9 "a@b.test"
-- $10 "widget.create"
-- $11 "widget"
-- $12 "00000000-0000-4000-8000-000000000002"
-- $13 "lamp"
-- $14 "succeeded"
-- $15 201
-- $16 null
-- $17 "127.0.0.1"
-- $18 "a new id"
-- $19 true
-- $20 "00000000-0000-4000-8000-000000000001"
-- $21 "shelf"
-- $22 "00000000-0000-4000-8000-000000000002"
-- $23 "a time"
