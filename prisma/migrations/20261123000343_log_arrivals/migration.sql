-- CreateTable
CREATE TABLE "log_arrivals" (
    "chunk_id" BIGINT NOT NULL,
    "xid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "log_arrivals_pkey" PRIMARY KEY ("chunk_id")
);

-- CreateIndex
CREATE INDEX "log_arrivals_xid_idx" ON "log_arrivals"("xid");
