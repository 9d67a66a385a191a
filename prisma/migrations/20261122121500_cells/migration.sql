-- What one agent looks after is a cell. Every host becomes the cell of the same id; the kind says which engine it has.
ALTER TABLE "hosts" RENAME TO "cells";
ALTER TABLE "cells" RENAME CONSTRAINT "hosts_pkey" TO "cells_pkey";
ALTER TABLE "cells" RENAME CONSTRAINT "hosts_check" TO "cells_check";
ALTER TABLE "cells" ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'local';
ALTER TABLE "cells" ADD CONSTRAINT "cells_kind_check" CHECK (kind IN ('local'));

ALTER TABLE "instances" RENAME COLUMN "host_id" TO "cell_id";
ALTER TABLE "instances" RENAME CONSTRAINT "instances_host_id_fkey" TO "instances_cell_id_fkey";
ALTER INDEX "instances_host_id_idx" RENAME TO "instances_cell_id_idx";

ALTER TABLE "routers" RENAME COLUMN "host_id" TO "cell_id";
ALTER TABLE "routers" RENAME CONSTRAINT "routers_host_id_fkey" TO "routers_cell_id_fkey";
ALTER INDEX "routers_host_id_idx" RENAME TO "routers_cell_id_idx";

ALTER TABLE "floating_ips" RENAME COLUMN "host_id" TO "cell_id";
ALTER TABLE "floating_ips" RENAME CONSTRAINT "floating_ips_host_id_fkey" TO "floating_ips_cell_id_fkey";
ALTER INDEX "floating_ips_host_id_address_key" RENAME TO "floating_ips_cell_id_address_key";

ALTER TABLE "volumes" RENAME COLUMN "host_id" TO "cell_id";
ALTER TABLE "volumes" RENAME CONSTRAINT "volumes_host_id_fkey" TO "volumes_cell_id_fkey";
ALTER INDEX "volumes_host_id_idx" RENAME TO "volumes_cell_id_idx";

ALTER TABLE "operations" RENAME COLUMN "host_id" TO "cell_id";
ALTER TABLE "engine_reports" RENAME COLUMN "host_id" TO "cell_id";

-- A tenant's image lies in the cell that took the upload.
UPDATE "images" SET source = source - 'host_id' || jsonb_build_object('cell_id', source -> 'host_id') WHERE source ? 'host_id';

-- Counts anew what a cell has promised to what lives in it, so that no mistake in a sum lasts. The cell's row is locked
-- first, and the statement after that sees what was committed until then.
DROP FUNCTION recount_host(text);
CREATE FUNCTION recount_cell(recounted text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM cells WHERE id = recounted FOR UPDATE;
  UPDATE cells SET vcpus_reserved = held.vcpus, gpu_slices_reserved = held.gpu_slices,
    memory_mb_reserved = held.memory_mb + held.instances * cells.memory_mb_overhead, disk_gb_reserved = held.disk_gb + volumes.gb
  FROM (
    SELECT count(*)::int AS instances, coalesce(sum(f.vcpus), 0)::int AS vcpus, coalesce(sum(f.gpu_slices), 0)::int AS gpu_slices,
      coalesce(sum(ceil(f.ram_gb * 1024)), 0)::int AS memory_mb, coalesce(sum(f.disk_gb), 0)::int AS disk_gb
    FROM instances i JOIN flavors f ON f.id = i.flavor_id WHERE i.cell_id = recounted
  ) AS held, (SELECT coalesce(sum(size_gb), 0)::int AS gb FROM volumes WHERE cell_id = recounted) AS volumes
  WHERE cells.id = recounted AND (vcpus_reserved, gpu_slices_reserved, memory_mb_reserved, disk_gb_reserved) IS DISTINCT FROM
    (held.vcpus, held.gpu_slices, held.memory_mb + held.instances * cells.memory_mb_overhead, held.disk_gb + volumes.gb);
END $$;
