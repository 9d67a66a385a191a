-- AlterTable
ALTER TABLE "buckets" ADD COLUMN     "external_id" TEXT;

-- CreateTable
CREATE TABLE "external_uploads" (
    "bucket_id" UUID NOT NULL,
    "upload_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "part_size" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "external_uploads_pkey" PRIMARY KEY ("bucket_id","upload_id")
);

-- CreateTable
CREATE TABLE "external_egress" (
    "bucket_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "external_egress_pkey" PRIMARY KEY ("bucket_id","hour")
);

-- CreateIndex
CREATE INDEX "external_uploads_created_at_idx" ON "external_uploads"("created_at");

-- CreateIndex
CREATE INDEX "external_egress_hour_idx" ON "external_egress"("hour");

-- AddForeignKey
ALTER TABLE "external_uploads" ADD CONSTRAINT "external_uploads_bucket_id_fkey" FOREIGN KEY ("bucket_id") REFERENCES "buckets"("id") ON DELETE CASCADE ON UPDATE CASCADE;
