-- Usage that became known after its month was invoiced: it belongs to the month on whose invoice it will be, at the price
-- of the month in which it was used. Only what is counted can be late.
CREATE INDEX "usage_counts_late_idx" ON "usage_counts" (billing_month, project_id) WHERE day < billing_month;

-- This month's spend times the seconds of the month: without a division it is exact. Volatile, so that inside a statement
-- that has waited for the project's lock it sees what was committed meanwhile.
CREATE OR REPLACE FUNCTION dollar_seconds(of_project uuid, at timestamptz) RETURNS numeric LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  month date := month_of(at);
  month_seconds numeric := seconds_between(month_start(at), month_end(at));
BEGIN
  RETURN (SELECT coalesce(sum(accrued_until(a, at) * m.unit_share * rate_in(a.metric, month)
      * CASE m.basis WHEN 'month' THEN 1 WHEN 'hour' THEN div(month_seconds, 3600) ELSE month_seconds END), 0)
    FROM accruals a JOIN metrics m ON m.name = a.metric WHERE a.project_id = of_project)
    + month_seconds * (SELECT coalesce(sum(c.quantity * m.unit_share * rate_in(c.metric, date_trunc('month', c.day::timestamp)::date)), 0)
    FROM usage_counts c JOIN metrics m ON m.name = c.metric
    WHERE c.project_id = of_project AND c.billing_month = month AND c.day < c.billing_month);
END $$;

-- Folds events that are new into the counts by day and the accruals of this month. Months that are invoiced stay as they
-- are: what comes late is on the next invoice, and in the spend of that invoice's month at once. The accounts are locked,
-- so that no invoice is closed meanwhile. An accrual is also touched by late usage: the moment of its last change dates
-- what the spend has reached, and has alerts looked at.
CREATE OR REPLACE FUNCTION fold_usage(most int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  keys text[];
  at timestamptz(3);
  counter record;
BEGIN
  keys := ARRAY(SELECT key FROM usage_events WHERE NOT folded ORDER BY recorded_at LIMIT most FOR UPDATE SKIP LOCKED);
  IF cardinality(keys) = 0 THEN RETURN 0; END IF;
  PERFORM FROM project_accounts WHERE project_id IN (SELECT project_id FROM usage_events WHERE key = ANY (keys))
    ORDER BY project_id FOR SHARE;
  at := platform_now();
  INSERT INTO usage_counts AS c (project_id, metric, resource_id, day, billing_month, resource_type, resource_name, quantity)
  SELECT e.project_id, e.metric, e.resource_id, (e.occurred_at AT TIME ZONE 'UTC')::date,
    greatest(month_of(e.occurred_at), a.billed_until), min(e.resource_type), min(e.resource_name), sum(e.quantity)
  FROM usage_events e JOIN project_accounts a ON a.project_id = e.project_id WHERE e.key = ANY (keys) GROUP BY 1, 2, 3, 4, 5
  ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (project_id, metric, resource_id, day, billing_month) DO UPDATE SET quantity = c.quantity + excluded.quantity;
  FOR counter IN
    SELECT e.project_id, e.metric, coalesce(sum(e.quantity) FILTER (WHERE month_of(e.occurred_at) >= month_of(at)), 0) AS quantity
    FROM usage_events e JOIN project_accounts a ON a.project_id = e.project_id
    WHERE e.key = ANY (keys) AND greatest(month_of(e.occurred_at), a.billed_until) >= month_of(at) GROUP BY 1, 2 ORDER BY 1, 2
  LOOP
    PERFORM accrue(counter.project_id, counter.metric, 0, counter.quantity, at);
  END LOOP;
  UPDATE usage_events SET folded = true WHERE key = ANY (keys);
  RETURN cardinality(keys);
END $$;

-- Late usage that is known already counts in this month's spend from now on.
SELECT accrue(project_id, metric, 0, 0, platform_now()) FROM (
  SELECT DISTINCT project_id, metric FROM "usage_counts" WHERE day < billing_month AND billing_month = month_of(platform_now())
  ORDER BY 1, 2) AS late;
