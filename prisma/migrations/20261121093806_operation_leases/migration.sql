-- AlterTable
ALTER TABLE "operations" ADD COLUMN     "failing" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "lease_token" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "released" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "periodic_jobs" (
    "name" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "periodic_jobs_pkey" PRIMARY KEY ("name")
);

-- What a worker looks for: per kind, the first that are due; and leases whose worker may have died.
DROP INDEX "operations_due_idx";
CREATE INDEX "operations_due_idx" ON "operations" (kind, run_at) WHERE lease_owner IS NULL AND status IN ('pending', 'running');
CREATE INDEX "operations_lease_idx" ON "operations" (lease_until) WHERE lease_owner IS NOT NULL;

-- At most one operation of a resource runs, whatever workers may believe.
CREATE UNIQUE INDEX "operations_one_leased_idx" ON "operations" (resource_id) WHERE lease_owner IS NOT NULL;

-- Deletes win: cancels what else is under way for a resource. A function, because a statement in a volatile function
-- sees what was committed until then; a part of the calling statement would miss an operation that was written while
-- that waited for the project's lock. A worker that still holds a lease notices, and only then lets go of it.
CREATE FUNCTION supersede_operations(superseded_resource uuid, moment timestamptz) RETURNS integer
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  cancelled integer;
BEGIN
  UPDATE operations SET status = 'cancelled', error = 'A delete took its place.', finished_at = moment, updated_at = moment
  WHERE resource_id = superseded_resource AND status IN ('pending', 'running');
  GET DIAGNOSTICS cancelled = ROW_COUNT;
  RETURN cancelled;
END $$;

-- Gives back what a resource holds of the quota, all of it or at most these amounts by dimension, and says how much that
-- was. A function for the same reason: a claim that was written during the wait for the project's lock must be seen.
CREATE FUNCTION release_ledger(releasing_project uuid, releasing_resource uuid, amounts jsonb)
RETURNS TABLE (released_dimension text, released_amount numeric) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY
  WITH given_back AS (
    SELECT l.dimension, least(l.amount, coalesce((amounts ->> l.dimension)::numeric, l.amount)) AS amount, l.amount AS held
    FROM quota_ledger l
    WHERE l.resource_id = releasing_resource AND l.project_id = releasing_project
      AND (amounts IS NULL OR amounts ? l.dimension)
  ), emptied AS (
    DELETE FROM quota_ledger l USING given_back g
    WHERE l.resource_id = releasing_resource AND l.dimension = g.dimension AND g.amount = g.held
  ), lessened AS (
    UPDATE quota_ledger l SET amount = g.held - g.amount FROM given_back g
    WHERE l.resource_id = releasing_resource AND l.dimension = g.dimension AND g.amount < g.held
  )
  SELECT g.dimension, g.amount FROM given_back g;
END $$;
