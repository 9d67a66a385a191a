-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "functions_epoch" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "function_pools" (
    "id" UUID NOT NULL,
    "cell_id" TEXT NOT NULL,
    "written_line" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "function_pools_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "function_pools_cell_id_idx" ON "function_pools"("cell_id");

-- Whoever has read the epoch knows that versions which a pool has read at the same epoch, or a later one, still serve.
CREATE FUNCTION function_version_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "projects" SET "functions_epoch" = "functions_epoch" + 1 WHERE "id" = OLD."project_id";
  RETURN NULL;
END $$;
CREATE TRIGGER functions_version_changed AFTER UPDATE OF "version" OR DELETE ON "functions" FOR EACH ROW EXECUTE FUNCTION function_version_changed();
