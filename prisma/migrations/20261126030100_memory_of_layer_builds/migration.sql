-- AlterTable
ALTER TABLE "layer_versions" ADD COLUMN     "held_mb" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "layer_versions" ADD CONSTRAINT "layer_versions_held_mb_check" CHECK (held_mb >= 0);
-- Versions that are being built: few among many.
CREATE INDEX "layer_versions_held_idx" ON "layer_versions" (cell_id) WHERE held_mb > 0;
