-- AlterTable
ALTER TABLE "operations" ADD COLUMN     "child_name" TEXT,
ADD COLUMN     "children_ended" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "parent_id" UUID,
ADD COLUMN     "waiting_since" TIMESTAMPTZ(3),
ADD COLUMN     "yields_to" UUID;

-- AddForeignKey
ALTER TABLE "operations" ADD CONSTRAINT "operations_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "operations"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "operations" ADD CONSTRAINT "operations_child_named" CHECK (parent_id IS NULL OR child_name IS NOT NULL);

-- A parent starts each of its children once.
CREATE UNIQUE INDEX "operations_child_idx" ON "operations" (parent_id, child_name) WHERE parent_id IS NOT NULL;

-- What a delete of a whole tree waits for.
CREATE INDEX "operations_yielding_idx" ON "operations" (yields_to) WHERE yields_to IS NOT NULL AND lease_owner IS NOT NULL;

-- Deletes win: cancels what else is under way for a resource, and everything below it, on whatever resources. Rows are
-- locked from parents to children, as by the last transition of a child. A parent of what was cancelled that goes on
-- itself sees that at once, except for the one that orders this delete as a child of its own: its transition is being
-- written. A function, because a statement in a volatile function sees what was committed until then.
DROP FUNCTION supersede_operations(uuid, timestamptz);
CREATE FUNCTION supersede_operations(superseded_resource uuid, moment timestamptz, ordered_by uuid DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  cancelled integer;
  level uuid[];
BEGIN
  PERFORM FROM operations WHERE id IN (SELECT parent_id FROM operations
    WHERE resource_id = superseded_resource AND status IN ('pending', 'running')) ORDER BY id FOR UPDATE;
  WITH ended AS (
    UPDATE operations SET status = 'cancelled', error = 'A delete took its place.', finished_at = moment, updated_at = moment
    WHERE resource_id = superseded_resource AND status IN ('pending', 'running') RETURNING parent_id
  ), woken AS (
    UPDATE operations SET children_ended = children_ended + 1, run_at = least(run_at, platform_now())
    WHERE id IN (SELECT parent_id FROM ended) AND status IN ('pending', 'running') AND id IS DISTINCT FROM ordered_by
  ) SELECT count(*) INTO cancelled FROM ended;
  level := ARRAY(SELECT id FROM operations WHERE resource_id = superseded_resource);
  LOOP
    UPDATE operations SET status = 'cancelled', error = 'A delete took its place.', finished_at = moment, updated_at = moment,
      yields_to = superseded_resource
    WHERE parent_id = ANY (level) AND status IN ('pending', 'running');
    level := ARRAY(SELECT id FROM operations WHERE parent_id = ANY (level));
    EXIT WHEN cardinality(level) = 0;
  END LOOP;
  RETURN cancelled;
END $$;
