-- How a port is attached, its name, and the addresses that it shares. Until now all ports were of instances.
ALTER TABLE "ports" ADD COLUMN     "attachment" TEXT,
ADD COLUMN     "hostname" TEXT,
ADD COLUMN     "shared_addresses" INET[] NOT NULL DEFAULT ARRAY[]::INET[];

UPDATE "ports" SET attachment = 'tap', hostname = i.hostname FROM "instances" i
WHERE i.project_id = ports.project_id AND i.id = ports.device_id;

ALTER TABLE "ports" ALTER COLUMN "attachment" SET NOT NULL,
ALTER COLUMN "hostname" SET NOT NULL,
ADD CONSTRAINT "ports_attachment_check" CHECK (attachment IN ('tap', 'veth', 'none')),
ADD CONSTRAINT "ports_hostname_check" CHECK (hostname ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
-- An address that others share is nobody's interface, and shares none itself.
ADD CONSTRAINT "ports_shared_addresses_check" CHECK (attachment <> 'none' OR cardinality(shared_addresses) = 0);

-- CreateTable
CREATE TABLE "network_names" (
    "network_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "project_id" UUID NOT NULL,
    "device_id" UUID NOT NULL,
    "addresses" INET[] NOT NULL,

    CONSTRAINT "network_names_pkey" PRIMARY KEY ("network_id","name"),
    CONSTRAINT "network_names_name_check" CHECK (length(name) <= 63
      AND name ~ '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$'),
    CONSTRAINT "network_names_addresses_check" CHECK (cardinality(addresses) > 0)
);

-- CreateIndex
CREATE INDEX "network_names_device_id_idx" ON "network_names"("device_id");

-- AddForeignKey
ALTER TABLE "network_names" ADD CONSTRAINT "network_names_project_id_network_id_fkey" FOREIGN KEY ("project_id", "network_id") REFERENCES "networks"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "network_names" ADD CONSTRAINT "network_names_project_id_device_id_fkey" FOREIGN KEY ("project_id", "device_id") REFERENCES "devices"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
