WITH k AS MATERIALIZED (SELECT * FROM project_accounts WHERE project_id = $1::uuid FOR UPDATE), checks AS MATERIALIZED (SELECT found.*, NULL::text AS limit_value, NULL::text AS used_value,
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
    CROSS JOIN LATERAL (SELECT ) AS amounts OFFSET 0) AS found), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AS ok FROM checks), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "details", "activity") SELECT $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, jsonb_build_object('was', k.credit_usd), $17 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $18, $19, $20, $21 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    NULL AS target FROM verdict

-- $1 "00000000-0000-4000-8000-000000000001"
-- $2 "a new id"
-- $3 "00000000-0000-4000-8000-000000000001"
-- $4 "a time"
-- $5 "user"
-- $6 "a new id"
-- $7 "a@b.test"
-- $8 "widget.create"
-- $9 "widget"
-- $10 "00000000-0000-4000-8000-000000000002"
-- $11 "lamp"
-- $12 "succeeded"
-- $13 201
-- $14 null
-- $15 "127.0.0.1"
-- $16 "a new id"
-- $17 true
-- $18 "00000000-0000-4000-8000-000000000001"
-- $19 "widget"
-- $20 "00000000-0000-4000-8000-000000000002"
-- $21 "a time"
