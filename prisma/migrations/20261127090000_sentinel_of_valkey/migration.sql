-- Endpoints of Valkey answer clients of Sentinel: those without security groups are open to their network there too.
WITH closed AS (
  SELECT p."id", rule FROM "ports" AS p
  JOIN "database_clusters" AS c ON c."id" = p."device_id" AND c."engine" = 'valkey'
  CROSS JOIN jsonb_array_elements(p."own_rules") AS rule
  WHERE rule @> '{"direction": "ingress", "portRangeMin": 6379}' AND NOT p."own_rules" @> '[{"portRangeMin": 26379}]'
), opened AS (
  UPDATE "ports" AS p
  SET "own_rules" = p."own_rules" || jsonb_build_array(closed.rule || '{"portRangeMin": 26379, "portRangeMax": 26379}')
  FROM closed WHERE p."id" = closed."id"
  RETURNING p."project_id"
)
UPDATE "routers" SET "revision" = "revision" + 1 WHERE "project_id" IN (SELECT "project_id" FROM opened);
