-- CreateTable
CREATE TABLE "billing_details" (
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "address_lines" TEXT[],
    "city" TEXT NOT NULL,
    "postal_code" TEXT,
    "region" TEXT,
    "country" TEXT NOT NULL,
    "tax_id" TEXT,
    "email" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "billing_details_pkey" PRIMARY KEY ("project_id")
);

-- AddForeignKey
ALTER TABLE "billing_details" ADD CONSTRAINT "billing_details_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "billing_details" ADD CONSTRAINT "billing_details_check" CHECK (name <> '' AND city <> '' AND country ~ '^[A-Z]{2}$'
  AND cardinality(address_lines) BETWEEN 1 AND 4);
