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
    CROSS JOIN LATERAL (SELECT ) AS amounts OFFSET 0) AS found), verdict AS MATERIALIZED (SELECT checks.*, checks.passed AS ok FROM checks), released AS MATERIALIZED (SELECT ledger.* FROM verdict CROSS JOIN LATERAL
          release_ledger(verdict.project_id, $3::uuid, $4::jsonb) AS ledger
          WHERE verdict.ok), given_back AS MATERIALIZED (SELECT coalesce(sum(released_amount) FILTER (WHERE released_dimension = 'vcpus'), 0) AS vcpus, coalesce(sum(released_amount) FILTER (WHERE released_dimension = 'ram_gb'), 0) AS ram_gb, coalesce(sum(released_amount) FILTER (WHERE released_dimension = 'storage_tb'), 0) AS storage_tb, coalesce(sum(released_amount) FILTER (WHERE released_dimension = 'instances'), 0) AS instances, coalesce(sum(released_amount) FILTER (WHERE released_dimension = 'volumes'), 0) AS volumes, coalesce(sum(released_amount) FILTER (WHERE released_dimension = 'databases'), 0) AS databases, coalesce(sum(released_amount) FILTER (WHERE released_dimension = 'serverless_functions'), 0) AS serverless_functions, coalesce(sum(released_amount) FILTER (WHERE released_dimension = 'airflow_dags'), 0) AS airflow_dags, coalesce(sum(released_amount) FILTER (WHERE released_dimension = 'api_gateways'), 0) AS api_gateways FROM released), charged AS MATERIALIZED (UPDATE project_accounts SET vcpus_used = k.vcpus_used - given_back.vcpus, ram_gb_used = k.ram_gb_used - given_back.ram_gb, storage_tb_used = k.storage_tb_used - given_back.storage_tb, instances_used = k.instances_used - given_back.instances, volumes_used = k.volumes_used - given_back.volumes, databases_used = k.databases_used - given_back.databases, serverless_functions_used = k.serverless_functions_used - given_back.serverless_functions, airflow_dags_used = k.airflow_dags_used - given_back.airflow_dags, api_gateways_used = k.api_gateways_used - given_back.api_gateways FROM k, verdict, given_back
          WHERE verdict.ok AND project_accounts.project_id = k.project_id), changed AS MATERIALIZED (UPDATE widgets SET status = 'busy' FROM verdict WHERE verdict.ok AND widgets.id = $5::uuid), audited AS MATERIALIZED (INSERT INTO audit_entries ("id", "project_id", "at", "actor_type", "actor_id", "actor_name", "action", "resource_type", "resource_id", "resource_name", "result", "status", "code", "address", "request_id", "activity") SELECT $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21 FROM verdict WHERE verdict.ok), hinted AS MATERIALIZED (INSERT INTO changes ("project_id", "topic", "resource_id", "at") SELECT $22, $23, $24, $25 FROM verdict WHERE verdict.ok) SELECT project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    (SELECT to_jsonb(target) FROM target) AS target FROM verdict

-- $1 "00000000-0000-4000-8000-000000000001"
-- $2 "00000000-0000-4000-8000-000000000002"
-- $3 "00000000-0000-4000-8000-000000000002"
-- $4 null
-- $5 "00000000-0000-4000-8000-000000000002"
-- $6 "a new id"
-- $7 "00000000-0000-4000-8000-000000000001"
-- $8 "a time"
-- $9 "user"
-- $10 "a new id"
-- $11 "a@b.test"
-- $12 "widget.create"
-- $13 "widget"
-- $14 "00000000-0000-4000-8000-000000000002"
-- $15 "lamp"
-- $16 "succeeded"
-- $17 201
-- $18 null
-- $19 "127.0.0.1"
-- $20 "a new id"
-- $21 true
-- $22 "00000000-0000-4000-8000-000000000001"
-- $23 "widget"
-- $24 "00000000-0000-4000-8000-000000000002"
-- $25 "a time"
