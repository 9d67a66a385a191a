-- Counters of outgoing bytes belong to a port or have a name, and bill a device. An instance has one port, so that what its
-- counter said last is what that port's says; the counter of an instance that is gone is read no more.
ALTER TABLE "egress_counters" RENAME TO "instance_egress_counters";
ALTER TABLE "instance_egress_counters" RENAME CONSTRAINT "egress_counters_pkey" TO "instance_egress_counters_pkey";

-- CreateTable
CREATE TABLE "egress_counters" (
    "device_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "run" TEXT NOT NULL,
    "project_id" UUID NOT NULL,
    "port_id" UUID,
    "bytes" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "egress_counters_pkey" PRIMARY KEY ("device_id","name","run"),
    CONSTRAINT "egress_counters_port_check" CHECK ((name = 'port') = (port_id IS NOT NULL) AND (port_id IS NULL OR run = port_id::text))
);

INSERT INTO "egress_counters" (device_id, name, run, project_id, port_id, bytes, at)
SELECT DISTINCT ON (c.instance_id) c.instance_id, 'port', p.id::text, c.project_id, p.id, c.bytes, c.at
FROM "instance_egress_counters" c JOIN "ports" p ON p.project_id = c.project_id AND p.device_id = c.instance_id
ORDER BY c.instance_id, p.id;

DROP TABLE "instance_egress_counters";

-- CreateIndex
CREATE INDEX "egress_counters_port_id_idx" ON "egress_counters"("port_id");

-- AddForeignKey
ALTER TABLE "egress_counters" ADD CONSTRAINT "egress_counters_project_id_device_id_fkey" FOREIGN KEY ("project_id", "device_id") REFERENCES "devices"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "egress_counters" ADD CONSTRAINT "egress_counters_project_id_port_id_fkey" FOREIGN KEY ("project_id", "port_id") REFERENCES "ports"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
