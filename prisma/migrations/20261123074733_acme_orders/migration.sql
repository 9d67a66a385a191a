-- AlterTable
ALTER TABLE "certificates" ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "next_order_at" TIMESTAMPTZ(3),
ADD COLUMN     "warned_fingerprint" TEXT;

-- CreateTable
CREATE TABLE "acme_accounts" (
    "id" UUID NOT NULL,
    "directory_url" TEXT NOT NULL,
    "url" TEXT,
    "sealed_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "acme_accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "acme_orders" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "certificate_id" UUID,
    "account_id" UUID,
    "url" TEXT,
    "sealed_key" BYTEA,
    "retry_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "acme_orders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "acme_challenges" (
    "token" TEXT NOT NULL,
    "order_id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "key_authorization" TEXT NOT NULL,

    CONSTRAINT "acme_challenges_pkey" PRIMARY KEY ("token")
);

-- CreateIndex
CREATE UNIQUE INDEX "acme_accounts_directory_url_key" ON "acme_accounts"("directory_url");

-- CreateIndex
CREATE INDEX "acme_orders_certificate_id_idx" ON "acme_orders"("certificate_id");

-- CreateIndex
CREATE INDEX "acme_orders_project_id_created_at_idx" ON "acme_orders"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "acme_orders_created_at_idx" ON "acme_orders"("created_at");

-- CreateIndex
CREATE INDEX "acme_challenges_order_id_idx" ON "acme_challenges"("order_id");

-- AddForeignKey
ALTER TABLE "acme_orders" ADD CONSTRAINT "acme_orders_certificate_id_fkey" FOREIGN KEY ("certificate_id") REFERENCES "certificates"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "acme_challenges" ADD CONSTRAINT "acme_challenges_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "acme_orders"("id") ON DELETE CASCADE ON UPDATE CASCADE;


ALTER TABLE "certificates" ADD CONSTRAINT "certificates_failures_check" CHECK (failures >= 0);
CREATE INDEX "certificates_next_order_at_idx" ON "certificates" (next_order_at) WHERE next_order_at IS NOT NULL;
CREATE INDEX "certificates_expiring_at_idx" ON "certificates" (expiring_at);

-- Orders of a project in the last 24 hours. Volatile, as the functions of the other limits.
CREATE FUNCTION acme_orders_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM acme_orders WHERE project_id = of_project AND created_at > platform_now() - interval '1 day');
END $$;
