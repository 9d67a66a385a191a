-- CreateTable
CREATE TABLE "functions" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "cell_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "version" INTEGER NOT NULL,
    "template_id" TEXT NOT NULL,
    "schedule" TEXT,
    "next_run_at" TIMESTAMPTZ(3),
    "url_auth" TEXT,
    "last_invoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "functions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "function_versions" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "function_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "template_id" TEXT NOT NULL,
    "handler" TEXT NOT NULL,
    "memory_mb" INTEGER NOT NULL,
    "timeout_s" INTEGER NOT NULL,
    "concurrency" INTEGER NOT NULL,
    "network" TEXT NOT NULL,
    "network_id" UUID,
    "security_group_ids" UUID[],
    "layer_version_ids" UUID[],
    "schedule" TEXT,
    "url_auth" TEXT,
    "env" JSONB NOT NULL,
    "sealed_env" BYTEA,
    "code_kind" TEXT NOT NULL,
    "code_sha256" TEXT NOT NULL,
    "code_size_bytes" INTEGER NOT NULL,
    "rolled_back_from" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "function_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "function_invocations" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "function_id" UUID NOT NULL,
    "cell_id" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "pool_id" UUID,
    "version" INTEGER,
    "caller" JSONB,
    "payload" TEXT,
    "result" TEXT,
    "error" JSONB,
    "log" TEXT,
    "log_truncated" BOOLEAN NOT NULL DEFAULT false,
    "duration_ms" DECIMAL(12,2),
    "memory_mb" INTEGER,
    "cold_start" BOOLEAN,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "function_invocations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "functions_project_id_status_id_idx" ON "functions"("project_id", "status", "id");

-- CreateIndex
CREATE INDEX "functions_cell_id_status_idx" ON "functions"("cell_id", "status");

-- CreateIndex
CREATE INDEX "functions_cell_id_next_run_at_idx" ON "functions"("cell_id", "next_run_at");

-- CreateIndex
CREATE UNIQUE INDEX "functions_project_id_id_key" ON "functions"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "functions_project_id_name_key" ON "functions"("project_id", "name");

-- CreateIndex
CREATE INDEX "function_versions_project_id_function_id_idx" ON "function_versions"("project_id", "function_id");

-- CreateIndex
CREATE INDEX "function_versions_code_sha256_idx" ON "function_versions"("code_sha256");

-- CreateIndex
CREATE UNIQUE INDEX "function_versions_function_id_version_key" ON "function_versions"("function_id", "version");

-- CreateIndex
CREATE INDEX "function_invocations_project_id_function_id_id_idx" ON "function_invocations"("project_id", "function_id", "id");

-- CreateIndex
CREATE INDEX "function_invocations_created_at_idx" ON "function_invocations" USING BRIN ("created_at");

-- AddForeignKey
ALTER TABLE "functions" ADD CONSTRAINT "functions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "functions" ADD CONSTRAINT "functions_project_id_id_fkey" FOREIGN KEY ("project_id", "id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "functions" ADD CONSTRAINT "functions_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cells"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "function_versions" ADD CONSTRAINT "function_versions_project_id_function_id_fkey" FOREIGN KEY ("project_id", "function_id") REFERENCES "functions"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "function_invocations" ADD CONSTRAINT "function_invocations_project_id_function_id_fkey" FOREIGN KEY ("project_id", "function_id") REFERENCES "functions"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "functions"
  ADD CONSTRAINT "functions_status_check" CHECK (status IN ('deploying', 'active', 'error')),
  ADD CONSTRAINT "functions_version_check" CHECK (version > 0),
  ADD CONSTRAINT "functions_url_auth_check" CHECK (url_auth IN ('api_token', 'none')),
  ADD CONSTRAINT "functions_next_run_at_check" CHECK (next_run_at IS NULL OR schedule IS NOT NULL);
ALTER TABLE "function_versions"
  ADD CONSTRAINT "function_versions_memory_mb_check" CHECK (memory_mb BETWEEN 64 AND 2048),
  ADD CONSTRAINT "function_versions_timeout_s_check" CHECK (timeout_s BETWEEN 1 AND 300),
  ADD CONSTRAINT "function_versions_concurrency_check" CHECK (concurrency BETWEEN 1 AND 50),
  ADD CONSTRAINT "function_versions_network_check" CHECK (network IN ('none', 'outbound', 'project') AND (network = 'project') = (network_id IS NOT NULL)),
  ADD CONSTRAINT "function_versions_code_kind_check" CHECK (code_kind IN ('text', 'archive'));
ALTER TABLE "function_invocations"
  ADD CONSTRAINT "function_invocations_mode_check" CHECK (mode IN ('sync', 'async')),
  ADD CONSTRAINT "function_invocations_trigger_check" CHECK (trigger IN ('api', 'url', 'route', 'schedule')),
  ADD CONSTRAINT "function_invocations_status_check" CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'out_of_memory', 'dead_letter')),
  ADD CONSTRAINT "function_invocations_attempts_check" CHECK (attempts >= failures AND failures >= 0),
  ADD CONSTRAINT "function_invocations_next_attempt_at_check" CHECK ((status = 'queued') = (next_attempt_at IS NOT NULL));

-- What waits, and what runs: few rows among very many.
CREATE INDEX "function_invocations_queued_idx" ON "function_invocations" (cell_id, next_attempt_at) WHERE status = 'queued';
CREATE INDEX "function_invocations_running_idx" ON "function_invocations" (cell_id, pool_id) WHERE status = 'running';

CREATE INDEX "functions_prefix_idx" ON "functions" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "functions_terms_idx" ON "functions" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);

CREATE TRIGGER functions_untagged AFTER DELETE ON "functions" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
