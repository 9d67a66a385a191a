-- AlterTable
ALTER TABLE "database_backups" ADD COLUMN     "checking" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "group_no" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "database_clusters" ADD COLUMN     "recovery" JSONB;

-- CreateTable
CREATE TABLE "database_archives" (
    "project_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "group_no" INTEGER NOT NULL,
    "cell_id" TEXT NOT NULL,
    "first_segment" TEXT,
    "last_segment" TEXT,
    "until" TIMESTAMPTZ(3),
    "gap_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "database_archives_pkey" PRIMARY KEY ("cluster_id","group_no")
);

-- CreateIndex
CREATE INDEX "database_archives_project_id_idx" ON "database_archives"("project_id");

-- CreateIndex
CREATE INDEX "database_archives_cell_id_idx" ON "database_archives"("cell_id");

-- AddForeignKey
ALTER TABLE "database_archives" ADD CONSTRAINT "database_archives_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_archives" ADD CONSTRAINT "database_archives_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cells"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
