WITH k AS MATERIALIZED (SELECT $1::uuid AS project_id), checks AS MATERIALIZED (SELECT found.*, NULL::text AS limit_value, NULL::text AS used_value,
    NOT missing AND NOT forbidden AND NOT taken AND capped = 0 AND NOT frozen AND exceeded IS NULL AND NOT crowded AS passed FROM (
    SELECT k.project_id,
      false AS missing,
      false AS forbidden,
      NULL::text AS state,
      false AS taken,
      0 AS capped,
      false AS frozen,
      NULL::text AS exceeded,
      NOT (true) AS crowded
      
    FROM k 
    CROSS JOIN LATERAL (SELECT ) AS amounts OFFSET 0) AS found), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AS ok FROM checks), changed AS MATERIALIZED (UPDATE widgets SET status = 'busy' FROM verdict WHERE verdict.ok AND widgets.id = $2::uuid), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "details", "activity") SELECT $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $20, $21, $22, $23 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    NULL AS target FROM verdict

-- $1 null
-- $2 "00000000-0000-4000-8000-000000000002"
-- $3 "a new id"
-- $4 null
-- $5 "a time"
-- $6 "user"
-- $7 "a new id"
-- $8 "a@b.test"
-- $9 "widget.create"
-- $10 "widget"
-- $11 "00000000-0000-4000-8000-000000000002"
-- $12 "lamp"
-- $13 "succeeded"
-- $14 201
-- $15 null
-- $16 "127.0.0.1"
-- $17 "a new id"
-- $18 {"why":"test"}
-- $19 true
-- $20 null
-- $21 "widget"
-- $22 "00000000-0000-4000-8000-000000000002"
-- $23 "a time"
