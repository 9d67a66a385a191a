-- CreateTable
CREATE TABLE "payment_reversals" (
    "id" UUID NOT NULL,
    "processor" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "project_id" UUID NOT NULL,
    "checkout_id" UUID,
    "invoice_id" UUID,
    "refunded_usd" DECIMAL(20,2) NOT NULL,
    "disputed_usd" DECIMAL(20,2) NOT NULL,
    "recovered_usd" DECIMAL(20,2) NOT NULL,
    "version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_reversals_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "payment_reversals_project_id_idx" ON "payment_reversals"("project_id");

-- CreateIndex
CREATE UNIQUE INDEX "payment_reversals_processor_reference_key" ON "payment_reversals"("processor", "reference");

-- AddForeignKey
ALTER TABLE "payment_reversals" ADD CONSTRAINT "payment_reversals_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Of a top-up no more is taken from the credit than was taken from the platform; of an invoice nothing is.
ALTER TABLE "payment_reversals" ADD CONSTRAINT "payment_reversals_check" CHECK (
  ("checkout_id" IS NULL) <> ("invoice_id" IS NULL) AND least("refunded_usd", "disputed_usd", "recovered_usd") >= 0
  AND "recovered_usd" <= CASE WHEN "checkout_id" IS NULL THEN 0 ELSE "refunded_usd" + "disputed_usd" END);

-- What the processor took back and the platform has not: of an invoice only what is disputed, for a refund is given.
CREATE FUNCTION owed_usd(r payment_reversals) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN r.checkout_id IS NULL THEN r.disputed_usd ELSE r.refunded_usd + r.disputed_usd - r.recovered_usd END
$$;
