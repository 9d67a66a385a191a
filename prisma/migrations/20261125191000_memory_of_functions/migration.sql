-- AlterTable
ALTER TABLE "functions" ADD COLUMN     "held_mb" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "functions" ADD CONSTRAINT "functions_held_mb_check" CHECK (held_mb >= 0);
-- Functions that hold memory: few among many.
CREATE INDEX "functions_held_idx" ON "functions" (cell_id) WHERE held_mb > 0;
