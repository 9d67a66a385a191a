-- CreateTable
CREATE TABLE "database_clusters" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "engine" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "network_id" UUID NOT NULL,
    "cell_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "flavor_id" UUID,
    "vcpus" INTEGER NOT NULL,
    "ram_gb" DECIMAL(10,3) NOT NULL,
    "storage_gb" INTEGER NOT NULL,
    "instances" INTEGER NOT NULL,
    "running" INTEGER NOT NULL DEFAULT 0,
    "used_bytes" BIGINT,
    "parameters" JSONB NOT NULL DEFAULT '{}',
    "username" TEXT,
    "database_name" TEXT,
    "sealed_secrets" BYTEA NOT NULL,
    "serving_group" INTEGER NOT NULL DEFAULT 1,
    "moves" INTEGER NOT NULL DEFAULT 0,
    "read_only" BOOLEAN NOT NULL DEFAULT false,
    "roles_wanted" INTEGER NOT NULL DEFAULT 1,
    "roles_applied" INTEGER NOT NULL DEFAULT 0,
    "launched_at" TIMESTAMPTZ(3),
    "last_backup_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "database_clusters_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "database_members" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "group_no" INTEGER NOT NULL DEFAULT 1,
    "version" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'starting',
    "status_reason" TEXT,
    "incarnation" INTEGER NOT NULL DEFAULT 1,
    "in_sync" BOOLEAN NOT NULL DEFAULT false,
    "lag_bytes" BIGINT,
    "leaving" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "database_members_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "database_clusters_cell_id_idx" ON "database_clusters"("cell_id");

-- CreateIndex
CREATE INDEX "database_clusters_project_id_network_id_idx" ON "database_clusters"("project_id", "network_id");

-- CreateIndex
CREATE INDEX "database_clusters_project_id_status_id_idx" ON "database_clusters"("project_id", "status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "database_clusters_project_id_id_key" ON "database_clusters"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "database_clusters_project_id_engine_namespace_name_key" ON "database_clusters"("project_id", "engine", "namespace", "name");

-- CreateIndex
CREATE UNIQUE INDEX "database_members_project_id_id_key" ON "database_members"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "database_members_cluster_id_ordinal_key" ON "database_members"("cluster_id", "ordinal");

-- AddForeignKey
ALTER TABLE "database_clusters" ADD CONSTRAINT "database_clusters_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_clusters" ADD CONSTRAINT "database_clusters_project_id_network_id_fkey" FOREIGN KEY ("project_id", "network_id") REFERENCES "networks"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_clusters" ADD CONSTRAINT "database_clusters_project_id_id_fkey" FOREIGN KEY ("project_id", "id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_clusters" ADD CONSTRAINT "database_clusters_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cells"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_members" ADD CONSTRAINT "database_members_project_id_cluster_id_fkey" FOREIGN KEY ("project_id", "cluster_id") REFERENCES "database_clusters"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "database_members" ADD CONSTRAINT "database_members_project_id_id_fkey" FOREIGN KEY ("project_id", "id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "database_clusters"
  ADD CONSTRAINT "database_clusters_engine_check" CHECK (engine IN ('postgres', 'mysql', 'valkey', 'mongodb', 'qdrant')),
  ADD CONSTRAINT "database_clusters_status_check" CHECK (status IN
    ('provisioning', 'available', 'degraded', 'failing_over', 'updating', 'upgrading', 'restoring', 'deleting', 'error')),
  ADD CONSTRAINT "database_clusters_size_check" CHECK (vcpus > 0 AND ram_gb > 0 AND storage_gb > 0 AND instances BETWEEN 1 AND 5 AND running >= 0);
ALTER TABLE "database_members"
  ADD CONSTRAINT "database_members_role_check" CHECK (role IN ('primary', 'standby', 'node', 'sentinel')),
  ADD CONSTRAINT "database_members_status_check" CHECK (status IN ('starting', 'running', 'catching_up', 'stopped', 'failed')),
  ADD CONSTRAINT "database_members_ordinal_check" CHECK (ordinal > 0 AND incarnation > 0);

CREATE INDEX "database_clusters_prefix_idx" ON "database_clusters" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "database_clusters_terms_idx" ON "database_clusters" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE TRIGGER database_clusters_untagged AFTER DELETE ON "database_clusters" FOR EACH ROW EXECUTE FUNCTION resource_untagged();

-- PostgreSQL and Valkey by the hour of each member that runs; the others by its processors and memory. Storage from the first
-- start until the cluster is deleted.
CREATE FUNCTION size(c database_clusters) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('block_storage', c.storage_gb * c.instances)
    || CASE WHEN c.engine IN ('postgres', 'valkey') THEN jsonb_build_object(c.engine || '_database', c.running)
      ELSE jsonb_build_object('compute_vcpu', c.vcpus * c.running, 'compute_memory', c.ram_gb * c.running) END
$$;
CREATE FUNCTION billed(c database_clusters) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN c.launched_at IS NULL OR c.status = 'deleting' THEN '{}'
    ELSE jsonb_build_object('block_storage', c.storage_gb * c.instances)
      || CASE WHEN c.engine IN ('postgres', 'valkey') THEN jsonb_build_object(c.engine || '_database', c.running)
        ELSE jsonb_build_object('compute_vcpu', c.vcpus * c.running, 'compute_memory', c.ram_gb * c.running) END END
$$;
CREATE TRIGGER database_clusters_metered AFTER INSERT OR UPDATE OR DELETE ON "database_clusters" FOR EACH ROW
  EXECUTE FUNCTION resource_moved('database_cluster');

-- Counted like the other capped resources.
CREATE FUNCTION qdrant_clusters_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM database_clusters WHERE project_id = of_project AND engine = 'qdrant');
END $$;

-- A name in a network has labels of up to 63 characters (RFC 1035): those of clusters have several.
ALTER TABLE "network_names" DROP CONSTRAINT "network_names_name_check";
ALTER TABLE "network_names" ADD CONSTRAINT "network_names_name_check" CHECK (length(name) <= 253
  AND name ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$');
