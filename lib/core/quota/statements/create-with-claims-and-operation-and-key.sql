WITH k AS MATERIALIZED (SELECT * FROM project_accounts WHERE project_id = $1::uuid FOR UPDATE), checks AS MATERIALIZED (SELECT found.*, CASE exceeded WHEN 'vcpus' THEN trim_scale(vcpus_limit) WHEN 'ram_gb' THEN trim_scale(ram_gb_limit) WHEN 'instances' THEN trim_scale(instances_limit) END::text AS limit_value, CASE exceeded WHEN 'vcpus' THEN trim_scale(vcpus_used) WHEN 'ram_gb' THEN trim_scale(ram_gb_used) WHEN 'instances' THEN trim_scale(instances_used) END::text AS used_value,
    NOT missing AND NOT forbidden AND NOT taken AND capped = 0 AND NOT frozen AND exceeded IS NULL AND NOT crowded AS passed FROM (
    SELECT k.project_id, k.vcpus_limit, k.vcpus_used, k.ram_gb_limit, k.ram_gb_used, k.instances_limit, k.instances_used,
      false AS missing,
      false AS forbidden,
      NULL::text AS state,
      EXISTS (SELECT FROM widgets WHERE name = $2::text) AS taken,
      CASE WHEN widgets_held(k.project_id) >= $3::int THEN 1 WHEN all_widgets_held() >= $4::int THEN 2 ELSE 0 END AS capped,
      is_frozen(k) AS frozen,
      CASE WHEN claim_vcpus > 0 AND k.vcpus_used + claim_vcpus > k.vcpus_limit THEN 'vcpus' WHEN claim_ram_gb > 0 AND k.ram_gb_used + claim_ram_gb > k.ram_gb_limit THEN 'ram_gb' WHEN claim_instances > 0 AND k.instances_used + claim_instances > k.instances_limit THEN 'instances' END AS exceeded,
      NOT (true) AS crowded
      , claim_instances, claim_ram_gb, claim_vcpus
    FROM k 
    CROSS JOIN LATERAL (SELECT ($5)::numeric AS claim_instances, ($6)::numeric AS claim_ram_gb, ($7::int * 2)::numeric AS claim_vcpus) AS amounts OFFSET 0) AS found), kept AS MATERIALIZED (INSERT INTO idempotency_records ("id", "request_hash", "status", "answer", "sealed", "expires_at") SELECT $8, $9, $10, $11, $12, $13 FROM checks WHERE checks.passed ON CONFLICT (id) DO UPDATE SET request_hash = excluded.request_hash,
    status = excluded.status, answer = excluded.answer, sealed = excluded.sealed, expires_at = excluded.expires_at
    WHERE idempotency_records.expires_at <= platform_now() RETURNING 1), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AND EXISTS (SELECT FROM kept) AS ok FROM checks), claimed AS MATERIALIZED (INSERT INTO quota_ledger (project_id, resource_type, resource_id, dimension, amount)
          SELECT $14::uuid, $15::text, $16::uuid, taken_amount.dimension, taken_amount.amount
          FROM verdict CROSS JOIN LATERAL (VALUES ('instances', verdict.claim_instances), ('ram_gb', verdict.claim_ram_gb), ('vcpus', verdict.claim_vcpus)) AS taken_amount (dimension, amount)
          WHERE verdict.ok AND taken_amount.amount <> 0
          ON CONFLICT (resource_id, dimension) DO UPDATE SET amount = quota_ledger.amount + excluded.amount), charged AS MATERIALIZED (UPDATE project_accounts SET instances_used = k.instances_used + verdict.claim_instances, ram_gb_used = k.ram_gb_used + verdict.claim_ram_gb, vcpus_used = k.vcpus_used + verdict.claim_vcpus FROM k, verdict
          WHERE verdict.ok AND project_accounts.project_id = k.project_id), widget AS MATERIALIZED (INSERT INTO widgets ("id", "project_id", "name", "tags") SELECT $17, $18, $19, new_row."tags" FROM jsonb_populate_record(NULL::widgets, $20::jsonb) AS new_row, verdict WHERE verdict.ok), operation AS MATERIALIZED (INSERT INTO operations ("id", "project_id", "kind", "resource_type", "resource_id", "stage", "status", "input", "attempts", "scope", "cell_id", "run_at", "deadline_at", "request_id", "created_at", "updated_at") SELECT $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, platform_now(), platform_now() + $32::float8 * interval '1 millisecond', $33, $34, $35 FROM verdict WHERE verdict.ok), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "activity") SELECT $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $52, $53, $54, $55 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    NULL AS target FROM verdict

-- $1 "00000000-0000-4000-8000-000000000001"
-- $2 "lamp"
-- $3 5
-- $4 50
-- $5 1
-- $6 "0.5"
-- $7 2
-- $8 "bytes"
-- $9 "bytes"
-- $10 202
-- $11 "bytes"
-- $12 false
-- $13 "a time"
-- $14 "00000000-0000-4000-8000-000000000001"
-- $15 "widget"
-- $16 "00000000-0000-4000-8000-000000000002"
-- $17 "00000000-0000-4000-8000-000000000002"
-- $18 "00000000-0000-4000-8000-000000000001"
-- $19 "lamp"
-- $20 "{\"tags\":[\"a\",\"b\"]}"
-- $21 "a new id"
-- $22 "00000000-0000-4000-8000-000000000001"
-- $23 "widget.polish"
-- $24 "widget"
-- $25 "00000000-0000-4000-8000-000000000002"
-- $26 "wet"
-- $27 "pending"
-- $28 {"cloth":"soft"}
-- $29 0
-- $30 "cell"
-- $31 "north"
-- $32 60000
-- $33 "a new id"
-- $34 "a time"
-- $35 "a time"
-- $36 "a new id"
-- $37 "00000000-0000-4000-8000-000000000001"
-- $38 "a time"
-- $39 "user"
-- $40 "a new id"
-- $41 "a@b.test"
-- $42 "widget.create"
-- $43 "widget"
-- $44 "00000000-0000-4000-8000-000000000002"
-- $45 "lamp"
-- $46 "succeeded"
-- $47 202
-- $48 null
-- $49 "127.0.0.1"
-- $50 "a new id"
-- $51 true
-- $52 "00000000-0000-4000-8000-000000000001"
-- $53 "widget"
-- $54 "00000000-0000-4000-8000-000000000002"
-- $55 "a time"
