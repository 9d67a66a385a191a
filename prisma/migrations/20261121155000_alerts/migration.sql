-- CreateTable
CREATE TABLE "budget_alerts" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "threshold" INTEGER NOT NULL,
    "limit_usd" DECIMAL(20,6) NOT NULL,
    "spend_usd" DECIMAL(20,6) NOT NULL,
    "frozen" BOOLEAN NOT NULL,
    "crossed_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "budget_alerts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_deliveries" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "alert_id" UUID,
    "channel" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "response_status" INTEGER,
    "error" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_secrets" (
    "project_id" UUID NOT NULL,
    "sealed" BYTEA NOT NULL,
    "previous" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_secrets_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "alert_schedule" (
    "project_id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "alert_schedule_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "budget_alerts_project_id_month_threshold_key" ON "budget_alerts"("project_id", "month", "threshold");

-- CreateIndex
CREATE UNIQUE INDEX "budget_alerts_project_id_id_key" ON "budget_alerts"("project_id", "id");

-- CreateIndex
CREATE INDEX "alert_deliveries_project_id_id_idx" ON "alert_deliveries"("project_id", "id");

-- CreateIndex
CREATE INDEX "alert_deliveries_created_at_idx" ON "alert_deliveries"("created_at");

-- CreateIndex
CREATE INDEX "alert_schedule_due_at_idx" ON "alert_schedule"("due_at");

-- AddForeignKey
ALTER TABLE "budget_alerts" ADD CONSTRAINT "budget_alerts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_project_id_alert_id_fkey" FOREIGN KEY ("project_id", "alert_id") REFERENCES "budget_alerts"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_secrets" ADD CONSTRAINT "alert_secrets_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_schedule" ADD CONSTRAINT "alert_schedule_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "budget_alerts" ADD CONSTRAINT "budget_alerts_check" CHECK ("threshold" BETWEEN 1 AND 100);
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_check" CHECK ("channel" IN ('email', 'webhook')
  AND "status" IN ('pending', 'delivered', 'failed'));

-- Whatever brings the moment of a crossing forward has it computed anew: what starts, what was counted, the budget. What
-- stops puts it off, and is seen when the moment comes. These run at the end of a transaction, because until then it
-- locks accruals: one that held a schedule meanwhile could wait for another in a circle.
CREATE FUNCTION alerts_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE alert_schedule SET due_at = least(due_at, platform_now()), version = version + 1 WHERE project_id = NEW.project_id;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER accruals_come_alert AFTER INSERT ON "accruals" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION alerts_due();
CREATE CONSTRAINT TRIGGER accruals_grow_alert AFTER UPDATE ON "accruals" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.open_quantity >= OLD.open_quantity) EXECUTE FUNCTION alerts_due();

CREATE FUNCTION alerts_wanted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO alert_schedule AS s (project_id, due_at) VALUES (NEW.project_id, platform_now())
  ON CONFLICT (project_id) DO UPDATE SET due_at = least(s.due_at, excluded.due_at), version = s.version + 1;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER budgets_alert AFTER INSERT OR UPDATE ON "budgets" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION alerts_wanted();
CREATE CONSTRAINT TRIGGER accounts_alert AFTER UPDATE ON "project_accounts" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.budget_limit_usd IS DISTINCT FROM NEW.budget_limit_usd) EXECUTE FUNCTION alerts_wanted();

-- Budgets that there are already.
INSERT INTO "alert_schedule" (project_id, due_at) SELECT project_id, platform_now() FROM "budgets";

-- How often a project had its alerts tested lately. Volatile, so that a statement that has waited for the project's lock
-- counts those it waited for.
CREATE FUNCTION alert_tests(of_project uuid, lately interval) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(DISTINCT created_at) FROM alert_deliveries
    WHERE project_id = of_project AND alert_id IS NULL AND created_at > platform_now() - lately);
END $$;
