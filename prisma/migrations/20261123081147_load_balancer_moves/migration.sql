-- AlterTable
ALTER TABLE "load_balancer_nodes" ADD COLUMN     "counted" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "load_balancers" ADD COLUMN     "moves" INTEGER NOT NULL DEFAULT 0;

-- The requests that running nodes have counted so far are part of the totals already.
UPDATE "load_balancer_nodes" n SET counted = (
  SELECT coalesce(jsonb_object_agg(l.id, l.requests_total), '{}') FROM "load_balancer_listeners" l WHERE l.load_balancer_id = n.load_balancer_id)
FROM "load_balancers" b WHERE b.id = n.load_balancer_id AND n.ordinal = b.active_ordinal;
