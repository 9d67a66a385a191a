-- AlterTable
ALTER TABLE "ports" ADD COLUMN     "own_rules" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "load_balancers" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "network_id" UUID NOT NULL,
    "cell_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "operating_status" TEXT NOT NULL,
    "idle_timeout_s" INTEGER NOT NULL,
    "active_ordinal" INTEGER NOT NULL DEFAULT 1,
    "template" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "load_balancers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "load_balancer_nodes" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "load_balancer_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,

    CONSTRAINT "load_balancer_nodes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "load_balancer_listeners" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "load_balancer_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "protocol" TEXT NOT NULL,
    "port" INTEGER NOT NULL,
    "redirect_to_https" BOOLEAN NOT NULL,
    "allowed_cidrs" INET[],
    "current_connections" INTEGER NOT NULL DEFAULT 0,
    "requests_total" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "load_balancer_listeners_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "load_balancer_pools" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "listener_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "algorithm" TEXT NOT NULL,
    "sticky" TEXT,
    "health_check" JSONB,
    "slots" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "load_balancer_pools_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "load_balancer_members" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "pool_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "instance_id" UUID,
    "address" INET NOT NULL,
    "port" INTEGER NOT NULL,
    "weight" INTEGER NOT NULL,
    "backup" BOOLEAN NOT NULL,
    "slot" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "last_change_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "load_balancer_members_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "load_balancers_cell_id_idx" ON "load_balancers"("cell_id");

-- CreateIndex
CREATE INDEX "load_balancers_project_id_network_id_idx" ON "load_balancers"("project_id", "network_id");

-- CreateIndex
CREATE INDEX "load_balancers_project_id_status_id_idx" ON "load_balancers"("project_id", "status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancers_project_id_id_key" ON "load_balancers"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancers_project_id_name_key" ON "load_balancers"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancer_nodes_project_id_id_key" ON "load_balancer_nodes"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancer_nodes_load_balancer_id_ordinal_key" ON "load_balancer_nodes"("load_balancer_id", "ordinal");

-- CreateIndex
CREATE INDEX "load_balancer_listeners_project_id_idx" ON "load_balancer_listeners"("project_id");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancer_listeners_project_id_id_key" ON "load_balancer_listeners"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancer_listeners_load_balancer_id_port_key" ON "load_balancer_listeners"("load_balancer_id", "port");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancer_pools_project_id_id_key" ON "load_balancer_pools"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancer_pools_project_id_listener_id_key" ON "load_balancer_pools"("project_id", "listener_id");

-- CreateIndex
CREATE INDEX "load_balancer_members_project_id_instance_id_idx" ON "load_balancer_members"("project_id", "instance_id");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancer_members_pool_id_slot_key" ON "load_balancer_members"("pool_id", "slot");

-- CreateIndex
CREATE UNIQUE INDEX "load_balancer_members_pool_id_address_port_key" ON "load_balancer_members"("pool_id", "address", "port");

-- AddForeignKey
ALTER TABLE "load_balancers" ADD CONSTRAINT "load_balancers_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "load_balancers" ADD CONSTRAINT "load_balancers_project_id_network_id_fkey" FOREIGN KEY ("project_id", "network_id") REFERENCES "networks"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "load_balancers" ADD CONSTRAINT "load_balancers_project_id_id_fkey" FOREIGN KEY ("project_id", "id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "load_balancers" ADD CONSTRAINT "load_balancers_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cells"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "load_balancer_nodes" ADD CONSTRAINT "load_balancer_nodes_project_id_load_balancer_id_fkey" FOREIGN KEY ("project_id", "load_balancer_id") REFERENCES "load_balancers"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "load_balancer_nodes" ADD CONSTRAINT "load_balancer_nodes_project_id_id_fkey" FOREIGN KEY ("project_id", "id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "load_balancer_listeners" ADD CONSTRAINT "load_balancer_listeners_project_id_load_balancer_id_fkey" FOREIGN KEY ("project_id", "load_balancer_id") REFERENCES "load_balancers"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "load_balancer_pools" ADD CONSTRAINT "load_balancer_pools_project_id_listener_id_fkey" FOREIGN KEY ("project_id", "listener_id") REFERENCES "load_balancer_listeners"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "load_balancer_members" ADD CONSTRAINT "load_balancer_members_project_id_pool_id_fkey" FOREIGN KEY ("project_id", "pool_id") REFERENCES "load_balancer_pools"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "load_balancer_members" ADD CONSTRAINT "load_balancer_members_project_id_instance_id_fkey" FOREIGN KEY ("project_id", "instance_id") REFERENCES "instances"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "load_balancers"
  ADD CONSTRAINT "load_balancers_status_check" CHECK (status IN ('pending_create', 'active', 'pending_update', 'pending_delete', 'error')),
  ADD CONSTRAINT "load_balancers_operating_status_check" CHECK (operating_status IN ('online', 'degraded', 'offline', 'no_monitor', 'error')),
  ADD CONSTRAINT "load_balancers_active_ordinal_check" CHECK (active_ordinal IN (1, 2)),
  ADD CONSTRAINT "load_balancers_idle_timeout_s_check" CHECK (idle_timeout_s > 0);
ALTER TABLE "load_balancer_nodes" ADD CONSTRAINT "load_balancer_nodes_ordinal_check" CHECK (ordinal IN (1, 2));
ALTER TABLE "load_balancer_listeners"
  ADD CONSTRAINT "load_balancer_listeners_protocol_check" CHECK (protocol IN ('HTTP', 'HTTPS', 'TCP')),
  ADD CONSTRAINT "load_balancer_listeners_port_check" CHECK (port BETWEEN 1 AND 65535);
ALTER TABLE "load_balancer_pools"
  ADD CONSTRAINT "load_balancer_pools_algorithm_check" CHECK (algorithm IN ('round_robin', 'least_connections', 'source_ip')),
  ADD CONSTRAINT "load_balancer_pools_sticky_check" CHECK (sticky IN ('cookie', 'source_ip'));
ALTER TABLE "load_balancer_members"
  ADD CONSTRAINT "load_balancer_members_weight_check" CHECK (weight BETWEEN 0 AND 256),
  ADD CONSTRAINT "load_balancer_members_slot_check" CHECK (slot > 0),
  ADD CONSTRAINT "load_balancer_members_state_check" CHECK (status IN ('up', 'down', 'draining', 'no_check'));

-- Counted like the other capped resources.
CREATE FUNCTION load_balancers_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM load_balancers WHERE project_id = of_project);
END $$;

CREATE INDEX "load_balancers_prefix_idx" ON "load_balancers" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "load_balancers_terms_idx" ON "load_balancers" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);

CREATE TRIGGER load_balancers_untagged AFTER DELETE ON "load_balancers" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
