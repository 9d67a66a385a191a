-- CreateTable
CREATE TABLE "gateway_routes" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "path_prefix" TEXT NOT NULL,
    "cell_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "strip_prefix" BOOLEAN NOT NULL,
    "request_timeout_s" INTEGER,
    "sticky" BOOLEAN NOT NULL,
    "tls_certificate_id" UUID,
    "backends" JSONB NOT NULL,
    "health" JSONB NOT NULL DEFAULT '{}',
    "rollout" JSONB,
    "rollout_state" TEXT,
    "rollout_step" INTEGER,
    "rollout_step_at" TIMESTAMPTZ(3),
    "rollout_reason" TEXT,
    "rollout_before" JSONB,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "served_revision" INTEGER NOT NULL DEFAULT 0,
    "sent_bytes" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_routes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gateway_hosts" (
    "project_id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "verified_at" TIMESTAMPTZ(3),
    "next_check_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_hosts_pkey" PRIMARY KEY ("project_id","host")
);

-- CreateTable
CREATE TABLE "gateway_traffic" (
    "route_id" UUID NOT NULL,
    "backend" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "bucket" SMALLINT NOT NULL,
    "requests" INTEGER NOT NULL,
    "errors" INTEGER NOT NULL,

    CONSTRAINT "gateway_traffic_pkey" PRIMARY KEY ("route_id","at","backend","bucket")
);

-- CreateTable
CREATE TABLE "gateway_ingresses" (
    "cell_id" TEXT NOT NULL,
    "service_id" UUID NOT NULL,
    "log_cursor" TEXT,
    "status_reason" TEXT,

    CONSTRAINT "gateway_ingresses_pkey" PRIMARY KEY ("cell_id")
);

-- CreateIndex
CREATE INDEX "gateway_routes_cell_id_revision_idx" ON "gateway_routes"("cell_id", "revision");

-- CreateIndex
CREATE INDEX "gateway_routes_host_idx" ON "gateway_routes"("host");

-- CreateIndex
CREATE INDEX "gateway_routes_project_id_status_id_idx" ON "gateway_routes"("project_id", "status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "gateway_routes_project_id_id_key" ON "gateway_routes"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "gateway_routes_project_id_name_key" ON "gateway_routes"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "gateway_routes_project_id_host_path_prefix_key" ON "gateway_routes"("project_id", "host", "path_prefix");

-- CreateIndex
CREATE INDEX "gateway_hosts_next_check_at_idx" ON "gateway_hosts"("next_check_at");

-- CreateIndex
CREATE INDEX "gateway_traffic_at_idx" ON "gateway_traffic"("at");

-- CreateIndex
CREATE UNIQUE INDEX "gateway_ingresses_service_id_key" ON "gateway_ingresses"("service_id");

-- AddForeignKey
ALTER TABLE "gateway_routes" ADD CONSTRAINT "gateway_routes_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gateway_routes" ADD CONSTRAINT "gateway_routes_project_id_id_fkey" FOREIGN KEY ("project_id", "id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gateway_routes" ADD CONSTRAINT "gateway_routes_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cells"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gateway_hosts" ADD CONSTRAINT "gateway_hosts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gateway_traffic" ADD CONSTRAINT "gateway_traffic_route_id_fkey" FOREIGN KEY ("route_id") REFERENCES "gateway_routes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gateway_ingresses" ADD CONSTRAINT "gateway_ingresses_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cells"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "gateway_routes"
  ADD CONSTRAINT "gateway_routes_status_check" CHECK (status IN ('active', 'pending_verification', 'degraded', 'error')),
  ADD CONSTRAINT "gateway_routes_path_prefix_check" CHECK (path_prefix LIKE '/%' AND path_prefix LIKE '%/'),
  ADD CONSTRAINT "gateway_routes_request_timeout_s_check" CHECK (request_timeout_s > 0),
  ADD CONSTRAINT "gateway_routes_rollout_state_check" CHECK (rollout_state IN ('running', 'completed', 'rolled_back', 'stopped')),
  ADD CONSTRAINT "gateway_routes_rollout_check" CHECK ((rollout IS NULL) = (rollout_state IS NULL) AND (rollout IS NULL) = (rollout_before IS NULL)),
  ADD CONSTRAINT "gateway_routes_sent_bytes_check" CHECK (sent_bytes >= 0);
ALTER TABLE "gateway_hosts" ADD CONSTRAINT "gateway_hosts_status_check" CHECK (status IN ('pending', 'verified', 'refused'));

-- One project serves a host; others may wait for it.
CREATE UNIQUE INDEX "gateway_hosts_verified_key" ON "gateway_hosts" (host) WHERE status = 'verified';

CREATE INDEX "gateway_routes_prefix_idx" ON "gateway_routes" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "gateway_routes_terms_idx" ON "gateway_routes" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);

CREATE TRIGGER gateway_routes_untagged AFTER DELETE ON "gateway_routes" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
CREATE TRIGGER gateway_routes_certificates AFTER DELETE ON "gateway_routes" FOR EACH ROW EXECUTE FUNCTION certificates_released();
