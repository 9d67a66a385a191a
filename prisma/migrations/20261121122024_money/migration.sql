-- AlterTable
ALTER TABLE "instances" ADD COLUMN     "lost_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "project_accounts" ADD COLUMN     "billed_until" DATE,
ADD COLUMN     "budget_freezes" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "budget_lift_month" DATE,
ADD COLUMN     "budget_lift_usd" DECIMAL(30,12) NOT NULL DEFAULT 0,
ADD COLUMN     "budget_limit_usd" DECIMAL(20,6),
ADD COLUMN     "budget_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "credit_usd" DECIMAL(20,6) NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "metrics" (
    "name" TEXT NOT NULL,
    "basis" TEXT NOT NULL,
    "unit_share" DECIMAL(40,30) NOT NULL,

    CONSTRAINT "metrics_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "rates" (
    "id" UUID NOT NULL,
    "metric" TEXT NOT NULL,
    "effective_from" DATE NOT NULL,
    "price_usd" DECIMAL(20,10) NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "spans" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "metric" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "resource_name" TEXT NOT NULL,
    "quantity" DECIMAL(30,6) NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "spans_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accruals" (
    "project_id" UUID NOT NULL,
    "metric" TEXT NOT NULL,
    "open_quantity" DECIMAL(30,6) NOT NULL DEFAULT 0,
    "accrued" DECIMAL(45,9) NOT NULL DEFAULT 0,
    "as_of" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "accruals_pkey" PRIMARY KEY ("project_id","metric")
);

-- CreateTable
CREATE TABLE "usage_events" (
    "key" TEXT NOT NULL,
    "project_id" UUID NOT NULL,
    "metric" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "resource_name" TEXT NOT NULL,
    "quantity" DECIMAL(30,6) NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,
    "folded" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "usage_events_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "usage_counts" (
    "project_id" UUID NOT NULL,
    "metric" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "billing_month" DATE NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_name" TEXT NOT NULL,
    "quantity" DECIMAL(30,6) NOT NULL,

    CONSTRAINT "usage_counts_pkey" PRIMARY KEY ("project_id","metric","resource_id","day","billing_month")
);

-- CreateTable
CREATE TABLE "egress_counters" (
    "instance_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "bytes" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "egress_counters_pkey" PRIMARY KEY ("instance_id")
);

-- CreateTable
CREATE TABLE "resource_states" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "size" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "resource_states_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "budgets" (
    "project_id" UUID NOT NULL,
    "thresholds" INTEGER[],
    "notify_emails" TEXT[],
    "webhook_url" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "budgets_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "credit_entries" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "from_account" TEXT NOT NULL,
    "to_account" TEXT NOT NULL,
    "amount_usd" DECIMAL(20,6) NOT NULL,
    "reason" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "credit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "reconciliations" (
    "id" UUID NOT NULL,
    "period_from" TIMESTAMPTZ(3) NOT NULL,
    "period_to" TIMESTAMPTZ(3) NOT NULL,
    "resources" INTEGER NOT NULL,
    "differing" INTEGER NOT NULL,
    "differences" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reconciliations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "rates_metric_effective_from_id_idx" ON "rates"("metric", "effective_from" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "spans_project_id_started_at_idx" ON "spans"("project_id", "started_at");

-- CreateIndex
CREATE INDEX "spans_resource_id_idx" ON "spans"("resource_id");

-- CreateIndex
CREATE INDEX "usage_events_recorded_at_idx" ON "usage_events"("recorded_at");

-- CreateIndex
CREATE INDEX "usage_counts_project_id_billing_month_idx" ON "usage_counts"("project_id", "billing_month");

-- CreateIndex
CREATE INDEX "resource_states_resource_id_at_id_idx" ON "resource_states"("resource_id", "at", "id");

-- CreateIndex
CREATE INDEX "resource_states_at_idx" ON "resource_states"("at");

-- CreateIndex
CREATE UNIQUE INDEX "credit_entries_source_key" ON "credit_entries"("source");

-- CreateIndex
CREATE INDEX "credit_entries_project_id_id_idx" ON "credit_entries"("project_id", "id");

-- AddForeignKey
ALTER TABLE "rates" ADD CONSTRAINT "rates_metric_fkey" FOREIGN KEY ("metric") REFERENCES "metrics"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spans" ADD CONSTRAINT "spans_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spans" ADD CONSTRAINT "spans_metric_fkey" FOREIGN KEY ("metric") REFERENCES "metrics"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accruals" ADD CONSTRAINT "accruals_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accruals" ADD CONSTRAINT "accruals_metric_fkey" FOREIGN KEY ("metric") REFERENCES "metrics"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_events" ADD CONSTRAINT "usage_events_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_events" ADD CONSTRAINT "usage_events_metric_fkey" FOREIGN KEY ("metric") REFERENCES "metrics"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_counts" ADD CONSTRAINT "usage_counts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_counts" ADD CONSTRAINT "usage_counts_metric_fkey" FOREIGN KEY ("metric") REFERENCES "metrics"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "egress_counters" ADD CONSTRAINT "egress_counters_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_states" ADD CONSTRAINT "resource_states_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_entries" ADD CONSTRAINT "credit_entries_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The only open span of a resource and metric; what costs money now.
CREATE UNIQUE INDEX "spans_open_key" ON "spans" (resource_id, metric) WHERE ended_at IS NULL;
CREATE INDEX "spans_running_idx" ON "spans" (project_id) WHERE ended_at IS NULL;
CREATE INDEX "usage_events_new_idx" ON "usage_events" (recorded_at) WHERE NOT folded;

ALTER TABLE "accruals" SET (fillfactor = 70);
ALTER TABLE "metrics" ADD CONSTRAINT "metrics_check" CHECK (basis IN ('hour', 'month', 'count') AND unit_share > 0);
ALTER TABLE "rates" ADD CONSTRAINT "rates_check" CHECK (price_usd >= 0 AND extract(day FROM effective_from) = 1);
ALTER TABLE "spans" ADD CONSTRAINT "spans_check" CHECK (quantity > 0 AND (ended_at IS NULL OR ended_at > started_at));
ALTER TABLE "accruals" ADD CONSTRAINT "accruals_check" CHECK (open_quantity >= 0 AND accrued >= 0);
ALTER TABLE "usage_events" ADD CONSTRAINT "usage_events_check" CHECK (quantity > 0);
ALTER TABLE "credit_entries" ADD CONSTRAINT "credit_entries_check" CHECK (amount_usd > 0
  AND from_account IN ('credit', 'top_up', 'grant', 'invoice') AND to_account IN ('credit', 'top_up', 'grant', 'invoice')
  AND (from_account = 'credit') <> (to_account = 'credit'));
ALTER TABLE "project_accounts" DROP CONSTRAINT "project_accounts_check";
ALTER TABLE "project_accounts" ADD CONSTRAINT "project_accounts_check" CHECK (least(
  vcpus_limit, vcpus_used,
  ram_gb_limit, ram_gb_used,
  storage_tb_limit, storage_tb_used,
  instances_limit, instances_used,
  volumes_limit, volumes_used,
  databases_limit, databases_used,
  serverless_functions_limit, serverless_functions_used,
  airflow_dags_limit, airflow_dags_used,
  api_gateways_limit, api_gateways_used,
  credit_usd, budget_limit_usd, budget_lift_usd
) >= 0);
ALTER TABLE "project_accounts" ADD CONSTRAINT "project_accounts_budget_check"
  CHECK (NOT budget_freezes OR budget_limit_usd IS NOT NULL);

-- What money rests on is added to, never edited.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is only added to', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER metrics_immutable BEFORE UPDATE OR DELETE ON "metrics" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rates_immutable BEFORE UPDATE OR DELETE ON "rates" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rates_kept BEFORE TRUNCATE ON "rates" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER credit_entries_immutable BEFORE UPDATE OR DELETE ON "credit_entries"
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Months are those of UTC.
CREATE FUNCTION month_start(at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT date_trunc('month', at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' $$;
CREATE FUNCTION month_end(at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT (date_trunc('month', at AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC' $$;
CREATE FUNCTION month_of(at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT date_trunc('month', at AT TIME ZONE 'UTC')::date $$;
CREATE FUNCTION seconds_between(earlier timestamptz, later timestamptz) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT extract(epoch FROM later - earlier) $$;

-- The quantity-seconds of an accrual in the month of `at`. An accrual of an earlier month is one that has run, and
-- counted nothing, since this month began.
CREATE FUNCTION accrued_until(a accruals, at timestamptz) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN a.as_of >= month_start(at)
    THEN a.accrued + a.open_quantity * greatest(seconds_between(a.as_of, at), 0)
    ELSE a.open_quantity * seconds_between(month_start(at), at) END
$$;

-- Moves an accrual to `at` and changes what it has. A clock that steps back moves nothing back: the moment that counts is
-- returned, and spans begin and end at that. A check meets the row to insert also where there is one to update already.
CREATE FUNCTION accrue(of_project uuid, of_metric text, change numeric, counted numeric, at timestamptz)
RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  INSERT INTO accruals AS a (project_id, metric, open_quantity, accrued, as_of) VALUES (of_project, of_metric, greatest(change, 0), counted, at)
  ON CONFLICT (project_id, metric) DO UPDATE SET open_quantity = a.open_quantity + change,
    accrued = accrued_until(a, greatest(a.as_of, excluded.as_of)) + counted, as_of = greatest(a.as_of, excluded.as_of)
  RETURNING as_of
$$;

-- Says how much a resource has of a metric from now on; 0: nothing. Saying it again changes nothing.
CREATE FUNCTION meter(of_project uuid, of_metric text, of_type text, of_id uuid, of_name text, held numeric, at timestamptz)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  span spans;
  moment timestamptz(3);
BEGIN
  SELECT * INTO span FROM spans WHERE resource_id = of_id AND metric = of_metric AND ended_at IS NULL;
  IF coalesce(span.quantity, 0) = held THEN RETURN; END IF;
  moment := accrue(of_project, of_metric, held - coalesce(span.quantity, 0), 0, at);
  IF span.started_at >= moment THEN DELETE FROM spans WHERE id = span.id;
  ELSIF span.id IS NOT NULL THEN UPDATE spans SET ended_at = moment WHERE id = span.id;
  END IF;
  IF held > 0 THEN
    INSERT INTO spans (project_id, metric, resource_type, resource_id, resource_name, quantity, started_at)
    VALUES (of_project, of_metric, of_type, of_id, of_name, held, moment);
  END IF;
END $$;

-- Ends what a resource has of these metrics at an earlier moment, because it turns out to have been gone since. What an
-- invoice holds stays.
CREATE FUNCTION unmeter_since(of_project uuid, of_metrics text[], of_id uuid, since timestamptz, at timestamptz)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  span spans;
  moment timestamptz(3);
  cut timestamptz(3);
  invoiced timestamptz := (SELECT billed_until::timestamp AT TIME ZONE 'UTC' FROM project_accounts WHERE project_id = of_project);
BEGIN
  FOR span IN SELECT * FROM spans WHERE resource_id = of_id AND metric = ANY (of_metrics) AND ended_at IS NULL ORDER BY metric LOOP
    moment := accrue(of_project, span.metric, -span.quantity, 0, at);
    cut := least(moment, greatest(since, span.started_at, invoiced));
    UPDATE accruals SET accrued = accrued - span.quantity * seconds_between(greatest(cut, month_start(moment)), moment)
    WHERE project_id = of_project AND metric = span.metric;
    IF cut > span.started_at THEN UPDATE spans SET ended_at = cut WHERE id = span.id;
    ELSE DELETE FROM spans WHERE id = span.id;
    END IF;
  END LOOP;
END $$;

-- The price of a metric in the month that begins with `month`; NULL: it has none.
CREATE FUNCTION rate_in(of_metric text, month date) RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT price_usd FROM rates WHERE metric = of_metric AND effective_from <= month ORDER BY effective_from DESC, id DESC LIMIT 1
$$;

-- This month's spend times the seconds of the month: without a division it is exact. Volatile, so that inside a statement
-- that has waited for the project's lock it sees what was committed meanwhile.
CREATE FUNCTION dollar_seconds(of_project uuid, at timestamptz) RETURNS numeric LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  month date := month_of(at);
  month_seconds numeric := seconds_between(month_start(at), month_end(at));
BEGIN
  RETURN (SELECT coalesce(sum(accrued_until(a, at) * m.unit_share * rate_in(a.metric, month)
      * CASE m.basis WHEN 'month' THEN 1 WHEN 'hour' THEN div(month_seconds, 3600) ELSE month_seconds END), 0)
    FROM accruals a JOIN metrics m ON m.name = a.metric WHERE a.project_id = of_project);
END $$;

-- Whether a budget that freezes is used up now (spec 3.1): spend has reached limit and lift.
CREATE FUNCTION budget_used_up(of_project uuid, budget numeric, lift numeric, lift_month date) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  at timestamptz := platform_now();
  threshold numeric := budget + CASE WHEN lift_month = month_of(at) THEN lift ELSE 0 END;
BEGIN
  RETURN dollar_seconds(of_project, at) >= threshold * seconds_between(month_start(at), month_end(at));
END $$;

-- An entry of the ledger moves the balance, which cannot go below zero. Credit that comes while the budget is used up
-- lifts the freeze until that much more is spent.
CREATE FUNCTION credit_posted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  account project_accounts;
  at timestamptz := platform_now();
BEGIN
  SELECT * INTO account FROM project_accounts WHERE project_id = NEW.project_id FOR UPDATE;
  IF NEW.from_account = 'credit' THEN
    UPDATE project_accounts SET credit_usd = credit_usd - NEW.amount_usd WHERE project_id = NEW.project_id;
    RETURN NULL;
  END IF;
  UPDATE project_accounts SET credit_usd = credit_usd + NEW.amount_usd WHERE project_id = NEW.project_id;
  IF account.budget_freezes
    AND budget_used_up(account.project_id, account.budget_limit_usd, account.budget_lift_usd, account.budget_lift_month) THEN
    UPDATE project_accounts SET budget_lift_month = month_of(at), budget_lift_usd = NEW.amount_usd - budget_limit_usd
      -- The lift has twelve decimals: rounded up, so that no credit is worth less than itself.
      + ceil(dollar_seconds(project_id, at) / seconds_between(month_start(at), month_end(at)) * 1000000000000) / 1000000000000
    WHERE project_id = NEW.project_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER credit_entries_posted AFTER INSERT ON "credit_entries" FOR EACH ROW EXECUTE FUNCTION credit_posted();

-- Folds events that are new into the counts by day and the accruals of this month. Months that are invoiced stay as they
-- are: what comes late is on the next invoice. The accounts are locked, so that no invoice is closed meanwhile.
CREATE FUNCTION fold_usage(most int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
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
  FOR counter IN SELECT project_id, metric, sum(quantity) AS quantity FROM usage_events
    WHERE key = ANY (keys) AND month_of(occurred_at) >= month_of(at) GROUP BY 1, 2 ORDER BY 1, 2 LOOP
    PERFORM accrue(counter.project_id, counter.metric, 0, counter.quantity, at);
  END LOOP;
  UPDATE usage_events SET folded = true WHERE key = ANY (keys);
  RETURN cardinality(keys);
END $$;

-- What moves a resource moves its spans, in the same statement and whoever sends it: no path leads around these triggers.
-- Metrics are taken in the order of their names, so that no two statements wait for each other.
CREATE FUNCTION meter_instance(i instances, present boolean, at timestamptz) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  f flavors;
  runs boolean := present AND i.status IN ('active', 'paused', 'rebooting', 'rebuilding');
  has_disk boolean := present AND i.launched_at IS NOT NULL AND i.status <> 'deleting';
BEGIN
  SELECT * INTO f FROM flavors WHERE id = i.flavor_id;
  INSERT INTO resource_states (project_id, resource_type, resource_id, status, size, at)
  VALUES (i.project_id, 'instance', i.id, CASE WHEN present THEN i.status ELSE 'gone' END, jsonb_build_object('block_storage',
    f.disk_gb, 'compute_memory', f.ram_gb, 'compute_vcpu', f.vcpus, 'gpu_slice', f.gpu_slices), at);
  PERFORM meter(i.project_id, 'block_storage', 'instance', i.id, i.name, CASE WHEN has_disk THEN f.disk_gb ELSE 0 END, at);
  PERFORM meter(i.project_id, 'compute_memory', 'instance', i.id, i.name, CASE WHEN runs THEN f.ram_gb ELSE 0 END, at);
  PERFORM meter(i.project_id, 'compute_vcpu', 'instance', i.id, i.name, CASE WHEN runs THEN f.vcpus ELSE 0 END, at);
  PERFORM meter(i.project_id, 'gpu_slice', 'instance', i.id, i.name, CASE WHEN runs THEN f.gpu_slices ELSE 0 END, at);
END $$;

CREATE FUNCTION instance_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz(3) := platform_now();
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM meter_instance(OLD, false, at);
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.lost_at IS DISTINCT FROM OLD.lost_at AND NEW.lost_at IS NOT NULL THEN
    INSERT INTO resource_states (project_id, resource_type, resource_id, status, size, at)
    VALUES (NEW.project_id, 'instance', NEW.id, 'lost', '{}', NEW.lost_at);
    PERFORM unmeter_since(NEW.project_id, '{compute_memory,compute_vcpu,gpu_slice}', NEW.id, NEW.lost_at, at);
  END IF;
  PERFORM meter_instance(NEW, true, at);
  RETURN NULL;
END $$;
CREATE TRIGGER instances_come AFTER INSERT ON "instances" FOR EACH ROW EXECUTE FUNCTION instance_moved();
CREATE TRIGGER instances_go AFTER DELETE ON "instances" FOR EACH ROW EXECUTE FUNCTION instance_moved();
CREATE TRIGGER instances_move AFTER UPDATE ON "instances" FOR EACH ROW WHEN (
  (OLD.status, OLD.flavor_id, OLD.launched_at, OLD.lost_at) IS DISTINCT FROM (NEW.status, NEW.flavor_id, NEW.launched_at, NEW.lost_at))
  EXECUTE FUNCTION instance_moved();

-- Volumes, snapshots and images: `held` NULL leaves things as they are.
CREATE FUNCTION meter_stored(of_project uuid, of_metric text, of_type text, of_id uuid, of_name text, of_status text,
  of_size numeric, held numeric, at timestamptz) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  INSERT INTO resource_states (project_id, resource_type, resource_id, status, size, at)
  VALUES (of_project, of_type, of_id, of_status, jsonb_build_object(of_metric, of_size), at);
  IF held IS NOT NULL THEN PERFORM meter(of_project, of_metric, of_type, of_id, of_name, held, at); END IF;
END $$;

-- A volume that grows has its new size when it has grown.
CREATE FUNCTION volume_held(v volumes) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE v.status WHEN 'resizing' THEN NULL WHEN 'creating' THEN 0 WHEN 'deleting' THEN 0 WHEN 'error' THEN 0 ELSE v.size_gb END
$$;
CREATE FUNCTION volume_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM meter_stored(OLD.project_id, 'block_storage', 'volume', OLD.id, OLD.name, 'gone', OLD.size_gb, 0, platform_now());
  ELSE
    PERFORM meter_stored(NEW.project_id, 'block_storage', 'volume', NEW.id, NEW.name, NEW.status, NEW.size_gb, volume_held(NEW), platform_now());
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER volumes_come AFTER INSERT ON "volumes" FOR EACH ROW EXECUTE FUNCTION volume_moved();
CREATE TRIGGER volumes_go AFTER DELETE ON "volumes" FOR EACH ROW EXECUTE FUNCTION volume_moved();
CREATE TRIGGER volumes_move AFTER UPDATE ON "volumes" FOR EACH ROW
  WHEN ((OLD.status, OLD.size_gb) IS DISTINCT FROM (NEW.status, NEW.size_gb)) EXECUTE FUNCTION volume_moved();

CREATE FUNCTION snapshot_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM meter_stored(OLD.project_id, 'block_storage', 'snapshot', OLD.id, OLD.name, 'gone', OLD.size_gb, 0, platform_now());
  ELSE
    PERFORM meter_stored(NEW.project_id, 'block_storage', 'snapshot', NEW.id, NEW.name, NEW.status, NEW.size_gb,
      CASE NEW.status WHEN 'available' THEN NEW.size_gb ELSE 0 END, platform_now());
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER snapshots_come AFTER INSERT ON "snapshots" FOR EACH ROW EXECUTE FUNCTION snapshot_moved();
CREATE TRIGGER snapshots_go AFTER DELETE ON "snapshots" FOR EACH ROW EXECUTE FUNCTION snapshot_moved();
CREATE TRIGGER snapshots_move AFTER UPDATE ON "snapshots" FOR EACH ROW
  WHEN ((OLD.status, OLD.size_gb) IS DISTINCT FROM (NEW.status, NEW.size_gb)) EXECUTE FUNCTION snapshot_moved();

-- Public images belong to nobody.
CREATE FUNCTION image_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM meter_stored(OLD.project_id, 'image_storage', 'image', OLD.id, OLD.name, 'gone', coalesce(OLD.size_bytes, 0), 0, platform_now());
  ELSE
    PERFORM meter_stored(NEW.project_id, 'image_storage', 'image', NEW.id, NEW.name, NEW.status, coalesce(NEW.size_bytes, 0),
      CASE NEW.status WHEN 'active' THEN coalesce(NEW.size_bytes, 0) ELSE 0 END, platform_now());
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER images_come AFTER INSERT ON "images" FOR EACH ROW WHEN (NEW.project_id IS NOT NULL) EXECUTE FUNCTION image_moved();
CREATE TRIGGER images_go AFTER DELETE ON "images" FOR EACH ROW WHEN (OLD.project_id IS NOT NULL) EXECUTE FUNCTION image_moved();
CREATE TRIGGER images_move AFTER UPDATE ON "images" FOR EACH ROW WHEN (NEW.project_id IS NOT NULL
  AND (OLD.status, OLD.size_bytes) IS DISTINCT FROM (NEW.status, NEW.size_bytes)) EXECUTE FUNCTION image_moved();

INSERT INTO "metrics" (name, basis, unit_share) VALUES
  ('ai_completion_tokens', 'count', 0.000001),
  ('ai_prompt_tokens', 'count', 0.000001),
  ('block_storage', 'month', 1),
  ('compute_memory', 'hour', 1),
  ('compute_vcpu', 'hour', 1),
  ('function_invocations', 'count', 0.00001),
  ('gpu_slice', 'hour', 1),
  ('image_storage', 'month', 0.000000000931322574615478515625),
  ('mongodb_database', 'hour', 1),
  ('mysql_database', 'hour', 1),
  ('network_egress', 'count', 0.000000000931322574615478515625),
  ('object_storage', 'month', 0.000000000931322574615478515625),
  ('postgres_database', 'hour', 1),
  ('qdrant_database', 'hour', 1),
  ('valkey_database', 'hour', 1);

-- The rate card of the platform (spec 2.5).
INSERT INTO "rates" (id, metric, effective_from, price_usd, created_by, created_at)
SELECT ('01940000-0000-7000-8000-' || lpad(to_hex(512 + position), 12, '0'))::uuid, metric, '2025-01-01', price_usd, 'platform',
  '2025-01-01T00:00:00Z'
FROM (VALUES
  (0, 'compute_vcpu', 0.024),
  (1, 'compute_memory', 0.004),
  (2, 'block_storage', 0.08),
  (3, 'object_storage', 0.015),
  (4, 'postgres_database', 0.045),
  (5, 'valkey_database', 0.030),
  (6, 'network_egress', 0.010),
  (7, 'function_invocations', 0.020),
  (8, 'ai_prompt_tokens', 0.20),
  (9, 'ai_completion_tokens', 0.60),
  (10, 'gpu_slice', 0.85)
) AS card (position, metric, price_usd);

-- What exists already is billed from now on.
SELECT meter_instance(i, true, platform_now()) FROM instances i;
SELECT meter_stored(v.project_id, 'block_storage', 'volume', v.id, v.name, v.status, v.size_gb, volume_held(v), platform_now()) FROM volumes v;
SELECT meter_stored(s.project_id, 'block_storage', 'snapshot', s.id, s.name, s.status, s.size_gb,
  CASE s.status WHEN 'available' THEN s.size_gb ELSE 0 END, platform_now()) FROM snapshots s;
SELECT meter_stored(m.project_id, 'image_storage', 'image', m.id, m.name, m.status, coalesce(m.size_bytes, 0),
  CASE m.status WHEN 'active' THEN coalesce(m.size_bytes, 0) ELSE 0 END, platform_now()) FROM images m WHERE m.project_id IS NOT NULL;
