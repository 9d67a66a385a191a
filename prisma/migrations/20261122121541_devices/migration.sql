-- Whatever has ports, reservations, counters or samples.
CREATE TABLE "devices" (
    "project_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,

    CONSTRAINT "devices_pkey" PRIMARY KEY ("project_id","id"),
    CONSTRAINT "devices_kind_check" CHECK (kind ~ '^[a-z][a-z_]*$')
);

INSERT INTO "devices" (project_id, id, kind)
SELECT project_id, id, 'instance' FROM "instances" UNION ALL SELECT project_id, id, 'volume' FROM "volumes";

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "instances" ADD CONSTRAINT "instances_project_id_id_fkey" FOREIGN KEY ("project_id", "id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volumes" ADD CONSTRAINT "volumes_project_id_id_fkey" FOREIGN KEY ("project_id", "id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Ports belong to a device of any kind; until now all of them were of instances.
ALTER TABLE "ports" DROP CONSTRAINT "ports_project_id_instance_id_fkey";
ALTER TABLE "ports" RENAME COLUMN "instance_id" TO "device_id";
ALTER TABLE "ports" ALTER COLUMN "device_id" SET NOT NULL;
ALTER INDEX "ports_instance_id_idx" RENAME TO "ports_device_id_idx";

-- AddForeignKey
ALTER TABLE "ports" ADD CONSTRAINT "ports_project_id_device_id_fkey" FOREIGN KEY ("project_id", "device_id") REFERENCES "devices"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- So do samples.
ALTER TABLE "instance_samples" DROP CONSTRAINT "instance_samples_project_id_instance_id_fkey";
ALTER TABLE "instance_samples" RENAME TO "device_samples";
ALTER TABLE "device_samples" RENAME COLUMN "instance_id" TO "device_id";
ALTER TABLE "device_samples" RENAME CONSTRAINT "instance_samples_pkey" TO "device_samples_pkey";
ALTER INDEX "instance_samples_at_idx" RENAME TO "device_samples_at_idx";

-- AddForeignKey
ALTER TABLE "device_samples" ADD CONSTRAINT "device_samples_project_id_device_id_fkey" FOREIGN KEY ("project_id", "device_id") REFERENCES "devices"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
