-- AlterTable
ALTER TABLE "alert_schedule" ADD COLUMN     "month" DATE;

-- CreateTable
CREATE TABLE "budget_limits" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "limit_usd" DECIMAL(20,6),
    "raised" BOOLEAN NOT NULL,
    "spend_usd" DECIMAL(30,12) NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "budget_limits_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "budget_limits_project_id_since_id_idx" ON "budget_limits"("project_id", "since", "id");

-- DropIndex
DROP INDEX "budget_alerts_project_id_month_threshold_key";

-- CreateIndex
CREATE UNIQUE INDEX "budget_alerts_project_id_month_limit_usd_threshold_key" ON "budget_alerts"("project_id", "month", "limit_usd", "threshold");

-- AddForeignKey
ALTER TABLE "budget_limits" ADD CONSTRAINT "budget_limits_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "budget_limits" ADD CONSTRAINT "budget_limits_check" CHECK (limit_usd > 0 AND spend_usd >= 0);

-- A budget was last looked at before its next look was due, and that is never later than the end of the month.
UPDATE "alert_schedule" SET month = month_of(least(due_at - interval '1 millisecond', platform_now()));
ALTER TABLE "alert_schedule" ALTER COLUMN "month" SET NOT NULL;

-- What the month has spent so far, rounded down to twelve decimals: no threshold counts as reached that is not.
CREATE FUNCTION spend_so_far(of_project uuid, at timestamptz) RETURNS numeric LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN div(dollar_seconds(of_project, at) * 1000000000000, seconds_between(month_start(at), month_end(at))) / 1000000000000;
END $$;

CREATE FUNCTION budget_limit_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz(3) := platform_now();
BEGIN
  INSERT INTO budget_limits (project_id, limit_usd, raised, spend_usd, since) VALUES (NEW.project_id, NEW.budget_limit_usd,
    coalesce(NEW.budget_limit_usd > OLD.budget_limit_usd, false), spend_so_far(NEW.project_id, at), at);
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_limit AFTER UPDATE ON "project_accounts" FOR EACH ROW
  WHEN (OLD.budget_limit_usd IS DISTINCT FROM NEW.budget_limit_usd) EXECUTE FUNCTION budget_limit_changed();

-- Existing budgets: their limit holds for months that have ended, too. What they have told this month, whatever the limit
-- was then, is not told again for what is reached already.
INSERT INTO "budget_limits" (project_id, limit_usd, raised, spend_usd, since)
SELECT project_id, budget_limit_usd, false, 0, 'epoch' FROM "project_accounts" WHERE budget_limit_usd IS NOT NULL;
INSERT INTO "budget_limits" (project_id, limit_usd, raised, spend_usd, since)
SELECT project_id, budget_limit_usd, true, spend_so_far(project_id, platform_now()), platform_now()
FROM "project_accounts" WHERE budget_limit_usd IS NOT NULL;

CREATE OR REPLACE FUNCTION alerts_wanted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO alert_schedule AS s (project_id, due_at, month) VALUES (NEW.project_id, platform_now(), month_of(platform_now()))
  ON CONFLICT (project_id) DO UPDATE SET due_at = least(s.due_at, excluded.due_at), version = s.version + 1;
  RETURN NULL;
END $$;

-- Usage that becomes known after its month has ended, and before that is invoiced, has the month looked at again.
CREATE FUNCTION alerts_due_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE alert_schedule SET month = least(month, NEW.billing_month), due_at = least(due_at, platform_now()), version = version + 1
  WHERE project_id = NEW.project_id;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER usage_counts_alert AFTER INSERT OR UPDATE ON "usage_counts" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.billing_month < month_of(platform_now())) EXECUTE FUNCTION alerts_due_late();
