-- CreateTable
CREATE TABLE "log_streams" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "labels" JSONB NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "log_streams_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "log_chunks" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "stream_id" BIGINT NOT NULL,
    "first_us" BIGINT NOT NULL,
    "last_us" BIGINT NOT NULL,
    "lines" INTEGER NOT NULL,
    "raw_bytes" INTEGER NOT NULL,
    "checksum" BIGINT NOT NULL,
    "body" BYTEA NOT NULL,

    CONSTRAINT "log_chunks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "log_cursors" (
    "source" TEXT NOT NULL,
    "cursor" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "log_cursors_pkey" PRIMARY KEY ("source")
);

-- CreateTable
CREATE TABLE "log_usage" (
    "project_id" UUID NOT NULL,
    "stored_bytes" BIGINT NOT NULL DEFAULT 0,
    "dropped_lines" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "log_usage_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "log_streams_project_id_hash_key" ON "log_streams"("project_id", "hash");

-- CreateIndex
CREATE UNIQUE INDEX "log_streams_project_id_id_key" ON "log_streams"("project_id", "id");

-- CreateIndex
CREATE INDEX "log_chunks_project_id_stream_id_last_us_idx" ON "log_chunks"("project_id", "stream_id", "last_us");

-- CreateIndex
CREATE INDEX "log_chunks_last_us_idx" ON "log_chunks"("last_us");

-- AddForeignKey
ALTER TABLE "log_streams" ADD CONSTRAINT "log_streams_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "log_chunks" ADD CONSTRAINT "log_chunks_project_id_stream_id_fkey" FOREIGN KEY ("project_id", "stream_id") REFERENCES "log_streams"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "log_usage" ADD CONSTRAINT "log_usage_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE log_chunks ADD CHECK (first_us <= last_us), ADD CHECK (lines > 0), ADD CHECK (raw_bytes >= lines);
ALTER TABLE log_usage ADD CHECK (stored_bytes >= 0), ADD CHECK (dropped_lines >= 0);
-- Compressed already.
ALTER TABLE log_chunks ALTER COLUMN body SET STORAGE EXTERNAL;
-- Chunks that are still to be merged.
CREATE INDEX log_chunks_small ON log_chunks (project_id, stream_id, first_us) WHERE raw_bytes < 98304;
