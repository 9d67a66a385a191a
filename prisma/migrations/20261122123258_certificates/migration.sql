-- CreateTable
CREATE TABLE "service_authorities" (
    "id" UUID NOT NULL,
    "project_id" UUID,
    "owner_kind" TEXT NOT NULL,
    "owner_id" UUID NOT NULL,
    "generation" INTEGER NOT NULL,
    "certificate" TEXT NOT NULL,
    "sealed_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "service_authorities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "service_certificates" (
    "id" UUID NOT NULL,
    "authority_id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "common_name" TEXT NOT NULL,
    "dns_names" TEXT[],
    "addresses" TEXT[],
    "usage" TEXT NOT NULL,
    "certificate" TEXT NOT NULL,
    "sealed_key" BYTEA NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "service_certificates_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "service_authorities_expires_at_idx" ON "service_authorities"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "service_authorities_owner_id_generation_key" ON "service_authorities"("owner_id", "generation");

-- CreateIndex
CREATE INDEX "service_certificates_authority_id_idx" ON "service_certificates"("authority_id");

-- CreateIndex
CREATE INDEX "service_certificates_expires_at_idx" ON "service_certificates"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "service_certificates_owner_id_name_key" ON "service_certificates"("owner_id", "name");

-- AddForeignKey
ALTER TABLE "service_authorities" ADD CONSTRAINT "service_authorities_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_certificates" ADD CONSTRAINT "service_certificates_authority_id_fkey" FOREIGN KEY ("authority_id") REFERENCES "service_authorities"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "service_authorities"
  ADD CHECK (generation > 0),
  ADD CHECK (expires_at > created_at);
ALTER TABLE "service_certificates"
  ADD CHECK (usage IN ('server', 'client', 'peer')),
  ADD CHECK (expires_at > issued_at),
  ADD CHECK (dns_names IS NOT NULL AND addresses IS NOT NULL);
