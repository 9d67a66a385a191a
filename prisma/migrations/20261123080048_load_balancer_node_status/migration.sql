-- AlterTable
ALTER TABLE "load_balancer_nodes" ADD COLUMN     "status" TEXT NOT NULL DEFAULT 'starting';

ALTER TABLE "load_balancer_nodes" ADD CONSTRAINT "load_balancer_nodes_status_check" CHECK (status IN ('starting', 'up', 'down'));
