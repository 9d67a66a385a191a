-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "count" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "last_at" TIMESTAMPTZ(3),
ADD COLUMN     "tally" BYTEA;

-- CreateIndex
CREATE UNIQUE INDEX "audit_entries_tally_key" ON "audit_entries"("tally");

-- CreateIndex
CREATE INDEX "audit_entries_request_id_idx" ON "audit_entries"("request_id");

-- CreateIndex
CREATE INDEX "operations_request_id_idx" ON "operations"("request_id");
