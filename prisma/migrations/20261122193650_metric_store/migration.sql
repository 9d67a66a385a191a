-- CreateTable
CREATE TABLE "metric_shapes" (
    "id" SERIAL NOT NULL,
    "key" TEXT NOT NULL,
    "series" JSONB NOT NULL,
    "gauges" INTEGER[],

    CONSTRAINT "metric_shapes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "device_rollups" (
    "device_id" UUID NOT NULL,
    "shape_id" INTEGER NOT NULL,
    "step_s" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "project_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "values" DOUBLE PRECISION[],
    "base" DOUBLE PRECISION[],
    "samples" INTEGER NOT NULL,
    "means" DOUBLE PRECISION[],
    "lows" DOUBLE PRECISION[],
    "highs" DOUBLE PRECISION[],

    CONSTRAINT "device_rollups_pkey" PRIMARY KEY ("device_id","shape_id","step_s","until")
);

-- CreateTable
CREATE TABLE "metric_levels" (
    "step_s" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "metric_levels_pkey" PRIMARY KEY ("step_s")
);

-- CreateIndex
CREATE UNIQUE INDEX "metric_shapes_key_key" ON "metric_shapes"("key");

-- CreateIndex
CREATE INDEX "device_rollups_until_idx" ON "device_rollups" USING BRIN ("until");

ALTER TABLE "device_rollups" ADD CONSTRAINT "device_rollups_check" CHECK (step_s IN (300, 3600) AND samples > 0 AND at <= until
  AND at > until - step_s * interval '1 second');
ALTER TABLE "metric_levels" ADD CONSTRAINT "metric_levels_check" CHECK (step_s IN (300, 3600));

-- All samples so far are of instances: one shape.
INSERT INTO "metric_shapes" ("key", "series", "gauges")
  SELECT key, key::jsonb, '{2}' FROM (VALUES ('[{"name":"nephele_instance_cpu_seconds","type":"counter","labels":{}},{"name":"nephele_instance_memory_bytes","type":"gauge","labels":{}},{"name":"nephele_instance_disk_read_bytes","type":"counter","labels":{}},{"name":"nephele_instance_disk_write_bytes","type":"counter","labels":{}},{"name":"nephele_instance_disk_read_operations","type":"counter","labels":{}},{"name":"nephele_instance_disk_write_operations","type":"counter","labels":{}},{"name":"nephele_instance_network_receive_bytes","type":"counter","labels":{}},{"name":"nephele_instance_network_transmit_bytes","type":"counter","labels":{}},{"name":"nephele_instance_network_egress_bytes","type":"counter","labels":{}}]')) AS instance (key);

-- The first interval to roll up is that of the oldest sample.
INSERT INTO "metric_levels" ("step_s", "until")
  SELECT step_s, date_bin(step_s * interval '1 second', coalesce((SELECT min(at) FROM "device_samples"), now()) - interval '1 millisecond', 'epoch')
  FROM (VALUES (300), (3600)) AS level (step_s);

-- AlterTable
ALTER TABLE "device_samples" DROP CONSTRAINT "device_samples_pkey",
ADD COLUMN     "base" DOUBLE PRECISION[],
ADD COLUMN     "shape_id" INTEGER,
ADD COLUMN     "values" DOUBLE PRECISION[];

UPDATE "device_samples" SET shape_id = (SELECT id FROM "metric_shapes"), values = ARRAY[cpu_seconds, memory_bytes, disk_read_bytes,
  disk_write_bytes, disk_reads, disk_writes, network_rx_bytes, network_tx_bytes, egress_bytes];

ALTER TABLE "device_samples" ALTER COLUMN "shape_id" SET NOT NULL,
DROP COLUMN "cpu_seconds",
DROP COLUMN "disk_read_bytes",
DROP COLUMN "disk_reads",
DROP COLUMN "disk_write_bytes",
DROP COLUMN "disk_writes",
DROP COLUMN "egress_bytes",
DROP COLUMN "memory_bytes",
DROP COLUMN "network_rx_bytes",
DROP COLUMN "network_tx_bytes",
ADD CONSTRAINT "device_samples_pkey" PRIMARY KEY ("device_id", "shape_id", "at");

-- AddForeignKey
ALTER TABLE "device_samples" ADD CONSTRAINT "device_samples_shape_id_fkey" FOREIGN KEY ("shape_id") REFERENCES "metric_shapes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_rollups" ADD CONSTRAINT "device_rollups_project_id_device_id_fkey" FOREIGN KEY ("project_id", "device_id") REFERENCES "devices"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_rollups" ADD CONSTRAINT "device_rollups_shape_id_fkey" FOREIGN KEY ("shape_id") REFERENCES "metric_shapes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
