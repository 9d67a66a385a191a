-- CreateTable
CREATE TABLE "invoices" (
    "id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "project_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "subtotal_usd" DECIMAL(20,2) NOT NULL,
    "credit_usd" DECIMAL(20,2) NOT NULL,
    "due_usd" DECIMAL(20,2) NOT NULL,
    "seller" JSONB NOT NULL,
    "customer" JSONB NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invoices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invoice_lines" (
    "invoice_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "metric" TEXT,
    "category" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "unit" TEXT NOT NULL,
    "used_in" DATE NOT NULL,
    "quantity" DECIMAL(50,9) NOT NULL,
    "units" DECIMAL(40,6) NOT NULL,
    "price_usd" DECIMAL(20,10) NOT NULL,
    "amount_usd" DECIMAL(20,2) NOT NULL,

    CONSTRAINT "invoice_lines_pkey" PRIMARY KEY ("invoice_id","position")
);

-- CreateTable
CREATE TABLE "invoice_payments" (
    "invoice_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "due_usd" DECIMAL(20,2) NOT NULL,
    "processor" TEXT,
    "reference" TEXT,
    "card" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),
    "paid_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invoice_payments_pkey" PRIMARY KEY ("invoice_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "invoices_number_key" ON "invoices"("number");

-- CreateIndex
CREATE UNIQUE INDEX "invoices_project_id_month_key" ON "invoices"("project_id", "month");

-- CreateIndex
CREATE UNIQUE INDEX "invoices_project_id_id_key" ON "invoices"("project_id", "id");

-- CreateIndex
CREATE INDEX "invoice_payments_status_updated_at_idx" ON "invoice_payments"("status", "updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_payments_project_id_invoice_id_key" ON "invoice_payments"("project_id", "invoice_id");

-- AddForeignKey
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice_lines" ADD CONSTRAINT "invoice_lines_invoice_id_fkey" FOREIGN KEY ("invoice_id") REFERENCES "invoices"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice_payments" ADD CONSTRAINT "invoice_payments_project_id_invoice_id_fkey" FOREIGN KEY ("project_id", "invoice_id") REFERENCES "invoices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "invoices" ADD CONSTRAINT "invoices_add_up" CHECK ("subtotal_usd" = "credit_usd" + "due_usd" AND "credit_usd" >= 0 AND "due_usd" >= 0);
ALTER TABLE "invoice_payments" ADD CONSTRAINT "invoice_payments_status" CHECK ("status" IN ('open', 'paid', 'failed', 'deferred', 'carried'));

-- What was billed stays as it was.
CREATE TRIGGER invoices_immutable BEFORE UPDATE OR DELETE ON "invoices" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoices_kept BEFORE TRUNCATE ON "invoices" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_lines_immutable BEFORE UPDATE OR DELETE ON "invoice_lines" FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_lines_kept BEFORE TRUNCATE ON "invoice_lines" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Cents of an amount that is given as a fraction, half to even. Whole numbers decide: no division is rounded before.
CREATE FUNCTION cents_of(numerator numeric, denominator numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ((whole + CASE WHEN rest * 2 > denominator OR (rest * 2 = denominator AND mod(whole, 2) = 1) THEN 1 ELSE 0 END) / 100)::numeric(20, 2)
  FROM (SELECT div(numerator * 100, denominator) AS whole, mod(numerator * 100, denominator) AS rest OFFSET 0) AS cents
$$;
