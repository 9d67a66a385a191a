-- CreateTable
CREATE TABLE "floating_ip_ranges" (
    "cell_id" TEXT NOT NULL,
    "first" INET NOT NULL,
    "last" INET NOT NULL,

    CONSTRAINT "floating_ip_ranges_pkey" PRIMARY KEY ("cell_id","first")
);

-- AddForeignKey
ALTER TABLE "floating_ip_ranges" ADD CONSTRAINT "floating_ip_ranges_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cells"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "floating_ip_ranges" ADD CONSTRAINT "floating_ip_ranges_check" CHECK (family(first) = 4 AND masklen(first) = 32
  AND family(last) = 4 AND masklen(last) = 32 AND first <= last);

-- The one range of each cell.
INSERT INTO "floating_ip_ranges" ("cell_id", "first", "last") SELECT id, floating_ip_first, floating_ip_last FROM "cells";

-- AlterTable. The check on cells goes with its columns.
ALTER TABLE "cells" DROP COLUMN "floating_ip_first",
DROP COLUMN "floating_ip_last";
ALTER TABLE "cells" ADD CONSTRAINT "cells_check" CHECK (vcpus_reserved >= 0 AND memory_mb_reserved >= 0
  AND disk_gb_reserved >= 0 AND gpu_slices_reserved >= 0);
