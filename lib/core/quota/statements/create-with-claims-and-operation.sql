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
    CROSS JOIN LATERAL (SELECT ($5)::numeric AS claim_instances, ($6)::numeric AS claim_ram_gb, ($7::int * 2)::numeric AS claim_vcpus) AS amounts OFFSET 0) AS found), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AS ok FROM checks), claimed AS MATERIALIZED (INSERT INTO quota_ledger (project_id, resource_type, resource_id, dimension, amount)
          SELECT $8::uuid, $9::text, $10::uuid, taken_amount.dimension, taken_amount.amount
          FROM verdict CROSS JOIN LATERAL (VALUES ('instances', verdict.claim_instances), ('ram_gb', verdict.claim_ram_gb), ('vcpus', verdict.claim_vcpus)) AS taken_amount (dimension, amount)
          WHERE verdict.ok AND taken_amount.amount <> 0
          ON CONFLICT (resource_id, dimension) DO UPDATE SET amount = quota_ledger.amount + excluded.amount), charged AS MATERIALIZED (UPDATE project_accounts SET instances_used = k.instances_used + verdict.claim_instances, ram_gb_used = k.ram_gb_used + verdict.claim_ram_gb, vcpus_used = k.vcpus_used + verdict.claim_vcpus FROM k, verdict
          WHERE verdict.ok AND project_accounts.project_id = k.project_id), widget AS MATERIALIZED (INSERT INTO widgets ("id", "project_id", "name", "tags") SELECT $11, $12, $13, new_row."tags" FROM jsonb_populate_record(NULL::widgets, $14::jsonb) AS new_row, verdict WHERE verdict.ok), operation AS MATERIALIZED (INSERT INTO operations ("id", "project_id", "kind", "resource_type", "resource_id", "stage", "status", "input", "attempts", "scope", "cell_id", "run_at", "deadline_at", "request_id", "created_at", "updated_at") SELECT $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, platform_now(), platform_now() + $26::float8 * interval '1 millisecond', $27, $28, $29 FROM verdict WHERE verdict.ok), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "activity") SELECT $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $46, $47, $48, $49 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    NULL AS target FROM verdict

-- $1 "00000000-0000-4000-8000-000000000001"
-- $2 "lamp"
-- $3 5
-- $4 50
-- $5 1
-- $6 "0.5"
-- $7 2
-- $8 "00000000-0000-4000-8000-000000000001"
-- $9 "widget"
-- $10 "00000000-0000-4000-8000-000000000002"
-- $11 "00000000-0000-4000-8000-000000000002"
-- $12 "00000000-0000-4000-8000-000000000001"
-- $13 "lamp"
-- $14 "{\"tags\":[\"a\",\"b\"]}"
-- $15 "a new id"
-- $16 "00000000-0000-4000-8000-000000000001"
-- $17 "widget.polish"
-- $18 "widget"
-- $19 "00000000-0000-4000-8000-000000000002"
-- $20 "wet"
-- $21 "pending"
-- $22 {"cloth":"soft"}
-- $23 0
-- $24 "cell"
-- $25 "north"
-- $26 60000
-- $27 "a new id"
-- $28 "a time"
-- $29 "a time"
-- $30 "a new id"
-- $31 "00000000-0000-4000-8000-000000000001"
-- $32 "a time"
-- $33 "user"
-- $34 "a new id"
-- $35 "a@b.test"
-- $36 "widget.create"
-- $37 "widget"
-- $38 "00000000-0000-4000-8000-000000000002"
-- $39 "lamp"
-- $40 "succeeded"
-- $41 202
-- $42 null
-- $43 "127.0.0.1"
-- $44 "a new id"
-- $45 true
-- $46 "00000000-0000-4000-8000-000000000001"
-- $47 "widget"
-- $48 "00000000-0000-4000-8000-000000000002"
-- $49 "a time"
