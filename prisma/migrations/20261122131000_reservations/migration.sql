-- CreateTable
CREATE TABLE "reservations" (
    "project_id" UUID NOT NULL,
    "cell_id" TEXT NOT NULL,
    "device_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "amount" INTEGER NOT NULL,

    CONSTRAINT "reservations_pkey" PRIMARY KEY ("device_id","cell_id","kind")
);

-- CreateIndex
CREATE INDEX "reservations_cell_id_kind_idx" ON "reservations"("cell_id", "kind");

-- CreateIndex
CREATE INDEX "reservations_project_id_device_id_idx" ON "reservations"("project_id", "device_id");

-- AddForeignKey
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_project_id_device_id_fkey" FOREIGN KEY ("project_id", "device_id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cells"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "reservations" ADD CONSTRAINT "reservations_check" CHECK (kind IN ('vcpus', 'memory_mb', 'disk_gb', 'gpu_slices'));

-- What exists holds its room.
INSERT INTO "reservations" (project_id, cell_id, device_id, kind, amount)
  SELECT i.project_id, i.cell_id, i.id, room.kind, room.amount
  FROM instances i JOIN flavors f ON f.id = i.flavor_id JOIN cells c ON c.id = i.cell_id
  CROSS JOIN LATERAL (VALUES ('vcpus', f.vcpus), ('memory_mb', ceil(f.ram_gb * 1024)::int + c.memory_mb_overhead),
    ('disk_gb', f.disk_gb), ('gpu_slices', f.gpu_slices)) AS room (kind, amount) WHERE room.amount <> 0
  UNION ALL
  SELECT v.project_id, v.cell_id, v.id, 'disk_gb', v.size_gb FROM volumes v;

-- Counts again what a cell has reserved, from its ledger. The cell's row is locked first, as by all who write its part of
-- the ledger, and the statement after that sees what was committed until then.
CREATE OR REPLACE FUNCTION recount_cell(recounted text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM cells WHERE id = recounted FOR UPDATE;
  UPDATE cells SET vcpus_reserved = held.vcpus, memory_mb_reserved = held.memory_mb, disk_gb_reserved = held.disk_gb,
    gpu_slices_reserved = held.gpu_slices
  FROM (
    SELECT greatest(0, sum(amount) FILTER (WHERE kind = 'vcpus'))::int AS vcpus,
      greatest(0, sum(amount) FILTER (WHERE kind = 'memory_mb'))::int AS memory_mb,
      greatest(0, sum(amount) FILTER (WHERE kind = 'disk_gb'))::int AS disk_gb,
      greatest(0, sum(amount) FILTER (WHERE kind = 'gpu_slices'))::int AS gpu_slices
    FROM reservations WHERE cell_id = recounted
  ) AS held
  WHERE cells.id = recounted AND (vcpus_reserved, memory_mb_reserved, disk_gb_reserved, gpu_slices_reserved) IS DISTINCT FROM
    (held.vcpus, held.memory_mb, held.disk_gb, held.gpu_slices);
END $$;

SELECT recount_cell(id) FROM cells;

-- Gives back all room that a resource holds. It sees what was committed while the caller waited for the project's lock.
CREATE FUNCTION release_reservations(releasing_project uuid, releasing_resource uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM cells WHERE id IN (
    SELECT cell_id FROM reservations WHERE device_id = releasing_resource AND project_id = releasing_project
  ) ORDER BY id FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  WITH gone AS (
    DELETE FROM reservations WHERE device_id = releasing_resource AND project_id = releasing_project RETURNING cell_id, kind, amount
  ), sums AS (
    SELECT cell_id, coalesce(sum(amount) FILTER (WHERE kind = 'vcpus'), 0)::int AS vcpus,
      coalesce(sum(amount) FILTER (WHERE kind = 'memory_mb'), 0)::int AS memory_mb,
      coalesce(sum(amount) FILTER (WHERE kind = 'disk_gb'), 0)::int AS disk_gb,
      coalesce(sum(amount) FILTER (WHERE kind = 'gpu_slices'), 0)::int AS gpu_slices
    FROM gone GROUP BY cell_id
  )
  UPDATE cells SET vcpus_reserved = greatest(0, vcpus_reserved - sums.vcpus),
    memory_mb_reserved = greatest(0, memory_mb_reserved - sums.memory_mb),
    disk_gb_reserved = greatest(0, disk_gb_reserved - sums.disk_gb),
    gpu_slices_reserved = greatest(0, gpu_slices_reserved - sums.gpu_slices)
  FROM sums WHERE cells.id = sums.cell_id;
END $$;

-- As before; a release of everything gives back the room in cells as well.
CREATE OR REPLACE FUNCTION release_ledger(releasing_project uuid, releasing_resource uuid, amounts jsonb)
RETURNS TABLE (released_dimension text, released_amount numeric) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF amounts IS NULL THEN
    PERFORM release_reservations(releasing_project, releasing_resource);
  END IF;
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
