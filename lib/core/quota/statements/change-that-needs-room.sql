WITH k AS MATERIALIZED (SELECT * FROM project_accounts WHERE project_id = $1::uuid FOR UPDATE), target AS MATERIALIZED (SELECT w.status = 'idle' AS allowed, w.status AS state, w.size FROM k JOIN widgets w ON w.project_id = k.project_id
  WHERE w.id = $2::uuid FOR UPDATE OF w), checks AS MATERIALIZED (SELECT found.*, CASE exceeded WHEN 'vcpus' THEN trim_scale(vcpus_limit) END::text AS limit_value, CASE exceeded WHEN 'vcpus' THEN trim_scale(vcpus_used) END::text AS used_value,
    NOT missing AND NOT forbidden AND NOT taken AND capped = 0 AND NOT frozen AND exceeded IS NULL AND NOT crowded AS passed FROM (
    SELECT k.project_id, k.vcpus_limit, k.vcpus_used,
      target.allowed IS NULL AS missing,
      NOT coalesce(target.allowed, true) AS forbidden,
      target.state::text AS state,
      false AS taken,
      0 AS capped,
      false AS frozen,
      CASE WHEN claim_vcpus > 0 AND k.vcpus_used + claim_vcpus > k.vcpus_limit THEN 'vcpus' END AS exceeded,
      NOT (target.size < 3) AS crowded
      , claim_vcpus
    FROM k LEFT JOIN target ON true
    CROSS JOIN LATERAL (SELECT (1 - target.size)::numeric AS claim_vcpus) AS amounts OFFSET 0) AS found), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AS ok FROM checks), claimed AS MATERIALIZED (INSERT INTO quota_ledger (project_id, resource_type, resource_id, dimension, amount)
          SELECT $3::uuid, $4::text, $5::uuid, taken_amount.dimension, taken_amount.amount
          FROM verdict CROSS JOIN LATERAL (VALUES ('vcpus', verdict.claim_vcpus)) AS taken_amount (dimension, amount)
          WHERE verdict.ok AND taken_amount.amount <> 0
          ON CONFLICT (resource_id, dimension) DO UPDATE SET amount = quota_ledger.amount + excluded.amount), charged AS MATERIALIZED (UPDATE project_accounts SET vcpus_used = k.vcpus_used + verdict.claim_vcpus FROM k, verdict
          WHERE verdict.ok AND project_accounts.project_id = k.project_id), changed AS MATERIALIZED (UPDATE widgets SET status = 'busy' FROM verdict WHERE verdict.ok AND widgets.id = $6::uuid), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "activity") SELECT $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $23, $24, $25, $26 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    (SELECT to_jsonb(target) FROM target) AS target FROM verdict

-- $1 "00000000-0000-4000-8000-000000000001"
-- $2 "00000000-0000-4000-8000-000000000002"
-- $3 "00000000-0000-4000-8000-000000000001"
-- $4 "widget"
-- $5 "00000000-0000-4000-8000-000000000002"
-- $6 "00000000-0000-4000-8000-000000000002"
-- $7 "a new id"
-- $8 "00000000-0000-4000-8000-000000000001"
-- $9 "a time"
-- $10 "user"
-- $11 "a new id"
-- $12 "a@b.test"
-- $13 "widget.create"
-- $14 "widget"
-- $15 "00000000-0000-4000-8000-000000000002"
-- $16 "lamp"
-- $17 "succeeded"
-- $18 201
-- $19 null
-- $20 "127.0.0.1"
-- $21 "a new id"
-- $22 true
-- $23 "00000000-0000-4000-8000-000000000001"
-- $24 "widget"
-- $25 "00000000-0000-4000-8000-000000000002"
-- $26 "a time"
