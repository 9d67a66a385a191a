-- CreateTable
CREATE TABLE "payment_customers" (
    "project_id" UUID NOT NULL,
    "processor" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_customers_pkey" PRIMARY KEY ("project_id","processor")
);

-- CreateTable
CREATE TABLE "payment_methods" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "processor" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "brand" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "exp_month" INTEGER NOT NULL,
    "exp_year" INTEGER NOT NULL,
    "is_default" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_methods_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "checkout_sessions" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "processor" TEXT NOT NULL,
    "reference" TEXT,
    "kind" TEXT NOT NULL,
    "amount_usd" DECIMAL(20,2),
    "status" TEXT NOT NULL,
    "url" TEXT,
    "success_url" TEXT NOT NULL,
    "cancel_url" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "look_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "checkout_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_events" (
    "processor" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_events_pkey" PRIMARY KEY ("processor","event_id")
);

-- CreateTable
CREATE TABLE "sandbox_objects" (
    "reference" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "state" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sandbox_objects_pkey" PRIMARY KEY ("reference")
);

-- CreateIndex
CREATE UNIQUE INDEX "payment_customers_processor_reference_key" ON "payment_customers"("processor", "reference");

-- CreateIndex
CREATE UNIQUE INDEX "payment_methods_project_id_id_key" ON "payment_methods"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "payment_methods_processor_reference_key" ON "payment_methods"("processor", "reference");

-- CreateIndex
CREATE INDEX "checkout_sessions_status_look_at_idx" ON "checkout_sessions"("status", "look_at");

-- CreateIndex
CREATE UNIQUE INDEX "checkout_sessions_project_id_id_key" ON "checkout_sessions"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "checkout_sessions_processor_reference_key" ON "checkout_sessions"("processor", "reference");

-- CreateIndex
CREATE INDEX "payment_events_received_at_idx" ON "payment_events"("received_at");

-- AddForeignKey
ALTER TABLE "payment_customers" ADD CONSTRAINT "payment_customers_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_methods" ADD CONSTRAINT "payment_methods_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout_sessions" ADD CONSTRAINT "checkout_sessions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- One default card a project.
CREATE UNIQUE INDEX "payment_methods_default" ON "payment_methods" ("project_id", "processor") WHERE "is_default";
ALTER TABLE "payment_methods" ADD CONSTRAINT "payment_methods_last4" CHECK ("last4" ~ '^[0-9]{4}$');
ALTER TABLE "checkout_sessions" ADD CONSTRAINT "checkout_sessions_amount" CHECK (("kind" = 'top_up') = ("amount_usd" IS NOT NULL) AND "amount_usd" > 0);
ALTER TABLE "checkout_sessions" ADD CONSTRAINT "checkout_sessions_status" CHECK ("status" IN ('open', 'complete', 'expired'));
