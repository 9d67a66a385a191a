-- CreateTable
CREATE TABLE "log_pushes" (
    "chunk_id" BIGINT NOT NULL,
    "first_us" BIGINT NOT NULL,

    CONSTRAINT "log_pushes_pkey" PRIMARY KEY ("chunk_id")
);

-- CreateIndex
CREATE INDEX "log_pushes_first_us_idx" ON "log_pushes"("first_us");

-- AddForeignKey
ALTER TABLE "log_pushes" ADD CONSTRAINT "log_pushes_chunk_id_fkey" FOREIGN KEY ("chunk_id") REFERENCES "log_chunks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
