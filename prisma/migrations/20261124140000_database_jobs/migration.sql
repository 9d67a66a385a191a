-- CreateTable
CREATE TABLE "database_jobs" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "stage" TEXT NOT NULL DEFAULT 'pending',
    "from_version" TEXT NOT NULL,
    "target_version" TEXT NOT NULL,
    "former_group" INTEGER NOT NULL,
    "next_group" INTEGER NOT NULL,
    "progress" INTEGER NOT NULL DEFAULT 0,
    "databases" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "watched_since" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "switching" BOOLEAN NOT NULL DEFAULT false,
    "pause_ms" INTEGER,
    "failed_connections" INTEGER,
    "lost_writes" INTEGER,
    "rollback_pause_ms" INTEGER,
    "error" TEXT,
    "rollback_wanted" BOOLEAN NOT NULL DEFAULT false,
    "rollback_until" TIMESTAMPTZ(3),
    "rollback_ended" TEXT,
    "transitions" JSONB NOT NULL DEFAULT '[]',
    "logs" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "database_jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "database_backups" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "cell_id" TEXT NOT NULL,
    "engine" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "storage_gb" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "size_bytes" BIGINT,
    "start_segment" TEXT,
    "verified_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "database_backups_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "database_jobs_project_id_cluster_id_id_idx" ON "database_jobs"("project_id", "cluster_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "database_jobs_project_id_id_key" ON "database_jobs"("project_id", "id");

-- CreateIndex
CREATE INDEX "database_backups_project_id_cluster_id_finished_at_idx" ON "database_backups"("project_id", "cluster_id", "finished_at");

-- CreateIndex
CREATE INDEX "database_backups_project_id_status_id_idx" ON "database_backups"("project_id", "status", "id");

-- CreateIndex
CREATE INDEX "database_backups_cell_id_idx" ON "database_backups"("cell_id");

-- CreateIndex
CREATE UNIQUE INDEX "database_backups_project_id_id_key" ON "database_backups"("project_id", "id");

-- AddForeignKey
ALTER TABLE "database_jobs" ADD CONSTRAINT "database_jobs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_jobs" ADD CONSTRAINT "database_jobs_project_id_cluster_id_fkey" FOREIGN KEY ("project_id", "cluster_id") REFERENCES "database_clusters"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_backups" ADD CONSTRAINT "database_backups_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_backups" ADD CONSTRAINT "database_backups_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cells"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "database_jobs"
  ADD CONSTRAINT "database_jobs_stage_check" CHECK (stage IN ('pending', 'preflight', 'backup', 'provisioning', 'replicating',
    'switching_over', 'verifying', 'completed', 'rolling_back', 'rolled_back', 'failed')),
  ADD CONSTRAINT "database_jobs_progress_check" CHECK (progress BETWEEN 0 AND 100 AND next_group <> former_group);
-- One upgrade of a cluster at a time.
CREATE UNIQUE INDEX "database_jobs_unfinished_idx" ON "database_jobs" (cluster_id) WHERE finished_at IS NULL;
CREATE INDEX "database_jobs_kept_idx" ON "database_jobs" (rollback_until) WHERE rollback_until IS NOT NULL;

ALTER TABLE "database_backups"
  ADD CONSTRAINT "database_backups_engine_check" CHECK (engine IN ('postgres', 'mysql', 'valkey', 'mongodb', 'qdrant')),
  ADD CONSTRAINT "database_backups_kind_check" CHECK (kind IN ('automatic', 'manual', 'before_upgrade', 'final')),
  ADD CONSTRAINT "database_backups_status_check" CHECK (status IN ('pending', 'running', 'available', 'failed', 'deleting'));
CREATE INDEX "database_backups_expiry_idx" ON "database_backups" (expires_at) WHERE status <> 'deleting';
