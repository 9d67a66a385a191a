-- CreateTable
CREATE TABLE "hosts" (
    "id" TEXT NOT NULL,
    "vcpus_usable" INTEGER NOT NULL,
    "memory_mb_usable" INTEGER NOT NULL,
    "memory_mb_overhead" INTEGER NOT NULL,
    "disk_gb_usable" INTEGER NOT NULL,
    "gpu_slices_usable" INTEGER NOT NULL,
    "vcpus_reserved" INTEGER NOT NULL DEFAULT 0,
    "memory_mb_reserved" INTEGER NOT NULL DEFAULT 0,
    "disk_gb_reserved" INTEGER NOT NULL DEFAULT 0,
    "gpu_slices_reserved" INTEGER NOT NULL DEFAULT 0,
    "floating_ip_first" INET NOT NULL,
    "floating_ip_last" INET NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "hosts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "flavors" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "vcpus" INTEGER NOT NULL,
    "ram_gb" DECIMAL(10,3) NOT NULL,
    "disk_gb" INTEGER NOT NULL,
    "gpu_slices" INTEGER NOT NULL DEFAULT 0,
    "status" TEXT NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "flavors_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "key_pairs" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "key_pairs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "instances" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "task" TEXT,
    "flavor_id" UUID NOT NULL,
    "image_owner_id" UUID NOT NULL,
    "image_id" UUID NOT NULL,
    "host_id" TEXT NOT NULL,
    "power" TEXT NOT NULL,
    "generation" INTEGER NOT NULL DEFAULT 1,
    "hostname" TEXT NOT NULL,
    "ssh_public_key" TEXT,
    "user_data" TEXT,
    "launched_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "instances_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "instance_samples" (
    "instance_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "project_id" UUID NOT NULL,
    "cpu_seconds" DOUBLE PRECISION NOT NULL,
    "memory_bytes" BIGINT NOT NULL,
    "disk_read_bytes" BIGINT NOT NULL,
    "disk_write_bytes" BIGINT NOT NULL,
    "disk_reads" BIGINT NOT NULL,
    "disk_writes" BIGINT NOT NULL,
    "network_rx_bytes" BIGINT NOT NULL,
    "network_tx_bytes" BIGINT NOT NULL,
    "egress_bytes" BIGINT NOT NULL,

    CONSTRAINT "instance_samples_pkey" PRIMARY KEY ("instance_id","at")
);

-- CreateTable
CREATE TABLE "console_sessions" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "instance_id" UUID NOT NULL,
    "user_id" UUID,
    "ticket_hash" BYTEA NOT NULL,
    "ticket_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "cookie_hash" BYTEA,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "console_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "images" (
    "id" UUID NOT NULL,
    "project_id" UUID,
    "owner_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "format" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "source" JSONB NOT NULL,
    "checksum_sha256" TEXT,
    "size_bytes" BIGINT,
    "received_bytes" BIGINT NOT NULL DEFAULT 0,
    "virtual_size_bytes" BIGINT,
    "min_disk_gb" INTEGER NOT NULL,
    "min_ram_mb" INTEGER NOT NULL DEFAULT 0,
    "os_distro" TEXT,
    "os_version" TEXT,
    "default_user" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "images_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "routers" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "host_id" TEXT,
    "external_ip" INET,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "applied_revision" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "routers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "networks" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "router_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "networks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subnets" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "network_id" UUID NOT NULL,
    "router_id" UUID NOT NULL,
    "cidr" INET NOT NULL,
    "gateway_ip" INET NOT NULL,
    "dhcp_enabled" BOOLEAN NOT NULL,
    "dns_servers" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subnets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ports" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "network_id" UUID NOT NULL,
    "instance_id" UUID,
    "mac" TEXT NOT NULL,
    "ip" INET NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "security_groups" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "security_groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "security_group_rules" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "security_group_id" UUID NOT NULL,
    "direction" TEXT NOT NULL,
    "protocol" TEXT NOT NULL,
    "port_range_min" INTEGER,
    "port_range_max" INTEGER,
    "cidr" INET NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "security_group_rules_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "port_security_groups" (
    "port_id" UUID NOT NULL,
    "security_group_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,

    CONSTRAINT "port_security_groups_pkey" PRIMARY KEY ("port_id","security_group_id")
);

-- CreateTable
CREATE TABLE "floating_ips" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "host_id" TEXT NOT NULL,
    "address" INET NOT NULL,
    "port_id" UUID,
    "forwards" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "floating_ips_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "volumes" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "size_gb" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "host_id" TEXT NOT NULL,
    "image_owner_id" UUID,
    "image_id" UUID,
    "snapshot_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "volumes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "volume_attachments" (
    "volume_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "instance_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "volume_attachments_pkey" PRIMARY KEY ("volume_id")
);

-- CreateTable
CREATE TABLE "snapshots" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "volume_id" UUID NOT NULL,
    "size_gb" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "flavors_name_key" ON "flavors"("name");

-- CreateIndex
CREATE UNIQUE INDEX "key_pairs_project_id_name_key" ON "key_pairs"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "key_pairs_project_id_id_key" ON "key_pairs"("project_id", "id");

-- CreateIndex
CREATE INDEX "instances_project_id_name_id_idx" ON "instances"("project_id", "name", "id");

-- CreateIndex
CREATE INDEX "instances_image_id_idx" ON "instances"("image_id");

-- CreateIndex
CREATE INDEX "instances_host_id_idx" ON "instances"("host_id");

-- CreateIndex
CREATE UNIQUE INDEX "instances_project_id_id_key" ON "instances"("project_id", "id");

-- CreateIndex
CREATE INDEX "instance_samples_at_idx" ON "instance_samples" USING BRIN ("at");

-- CreateIndex
CREATE UNIQUE INDEX "console_sessions_ticket_hash_key" ON "console_sessions"("ticket_hash");

-- CreateIndex
CREATE UNIQUE INDEX "console_sessions_cookie_hash_key" ON "console_sessions"("cookie_hash");

-- CreateIndex
CREATE INDEX "console_sessions_instance_id_idx" ON "console_sessions"("instance_id");

-- CreateIndex
CREATE INDEX "console_sessions_expires_at_idx" ON "console_sessions"("expires_at");

-- CreateIndex
CREATE INDEX "images_project_id_name_id_idx" ON "images"("project_id", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "images_owner_id_id_key" ON "images"("owner_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "routers_project_id_key" ON "routers"("project_id");

-- CreateIndex
CREATE INDEX "routers_host_id_idx" ON "routers"("host_id");

-- CreateIndex
CREATE UNIQUE INDEX "routers_project_id_id_key" ON "routers"("project_id", "id");

-- CreateIndex
CREATE INDEX "networks_project_id_name_id_idx" ON "networks"("project_id", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "networks_project_id_id_key" ON "networks"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "subnets_network_id_key" ON "subnets"("network_id");

-- CreateIndex
CREATE INDEX "ports_instance_id_idx" ON "ports"("instance_id");

-- CreateIndex
CREATE UNIQUE INDEX "ports_project_id_id_key" ON "ports"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ports_network_id_ip_key" ON "ports"("network_id", "ip");

-- CreateIndex
CREATE UNIQUE INDEX "ports_network_id_mac_key" ON "ports"("network_id", "mac");

-- CreateIndex
CREATE INDEX "security_groups_project_id_name_id_idx" ON "security_groups"("project_id", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "security_groups_project_id_id_key" ON "security_groups"("project_id", "id");

-- CreateIndex
CREATE INDEX "security_group_rules_security_group_id_idx" ON "security_group_rules"("security_group_id");

-- CreateIndex
CREATE UNIQUE INDEX "security_group_rules_project_id_id_key" ON "security_group_rules"("project_id", "id");

-- CreateIndex
CREATE INDEX "port_security_groups_security_group_id_idx" ON "port_security_groups"("security_group_id");

-- CreateIndex
CREATE UNIQUE INDEX "floating_ips_project_id_id_key" ON "floating_ips"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "floating_ips_host_id_address_key" ON "floating_ips"("host_id", "address");

-- CreateIndex
CREATE UNIQUE INDEX "floating_ips_project_id_port_id_key" ON "floating_ips"("project_id", "port_id");

-- CreateIndex
CREATE INDEX "volumes_project_id_name_id_idx" ON "volumes"("project_id", "name", "id");

-- CreateIndex
CREATE INDEX "volumes_image_id_idx" ON "volumes"("image_id");

-- CreateIndex
CREATE INDEX "volumes_snapshot_id_idx" ON "volumes"("snapshot_id");

-- CreateIndex
CREATE INDEX "volumes_host_id_idx" ON "volumes"("host_id");

-- CreateIndex
CREATE UNIQUE INDEX "volumes_project_id_id_key" ON "volumes"("project_id", "id");

-- CreateIndex
CREATE INDEX "volume_attachments_instance_id_idx" ON "volume_attachments"("instance_id");

-- CreateIndex
CREATE UNIQUE INDEX "volume_attachments_project_id_volume_id_key" ON "volume_attachments"("project_id", "volume_id");

-- CreateIndex
CREATE INDEX "snapshots_project_id_name_id_idx" ON "snapshots"("project_id", "name", "id");

-- CreateIndex
CREATE INDEX "snapshots_volume_id_idx" ON "snapshots"("volume_id");

-- CreateIndex
CREATE UNIQUE INDEX "snapshots_project_id_id_key" ON "snapshots"("project_id", "id");

-- AddForeignKey
ALTER TABLE "key_pairs" ADD CONSTRAINT "key_pairs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "instances" ADD CONSTRAINT "instances_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "instances" ADD CONSTRAINT "instances_flavor_id_fkey" FOREIGN KEY ("flavor_id") REFERENCES "flavors"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "instances" ADD CONSTRAINT "instances_image_owner_id_image_id_fkey" FOREIGN KEY ("image_owner_id", "image_id") REFERENCES "images"("owner_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "instances" ADD CONSTRAINT "instances_host_id_fkey" FOREIGN KEY ("host_id") REFERENCES "hosts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "instance_samples" ADD CONSTRAINT "instance_samples_project_id_instance_id_fkey" FOREIGN KEY ("project_id", "instance_id") REFERENCES "instances"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_project_id_instance_id_fkey" FOREIGN KEY ("project_id", "instance_id") REFERENCES "instances"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_project_id_user_id_fkey" FOREIGN KEY ("project_id", "user_id") REFERENCES "memberships"("project_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "images" ADD CONSTRAINT "images_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "routers" ADD CONSTRAINT "routers_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "routers" ADD CONSTRAINT "routers_host_id_fkey" FOREIGN KEY ("host_id") REFERENCES "hosts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "networks" ADD CONSTRAINT "networks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "networks" ADD CONSTRAINT "networks_project_id_router_id_fkey" FOREIGN KEY ("project_id", "router_id") REFERENCES "routers"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_project_id_network_id_fkey" FOREIGN KEY ("project_id", "network_id") REFERENCES "networks"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ports" ADD CONSTRAINT "ports_project_id_network_id_fkey" FOREIGN KEY ("project_id", "network_id") REFERENCES "networks"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ports" ADD CONSTRAINT "ports_project_id_instance_id_fkey" FOREIGN KEY ("project_id", "instance_id") REFERENCES "instances"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "security_groups" ADD CONSTRAINT "security_groups_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "security_group_rules" ADD CONSTRAINT "security_group_rules_project_id_security_group_id_fkey" FOREIGN KEY ("project_id", "security_group_id") REFERENCES "security_groups"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "port_security_groups" ADD CONSTRAINT "port_security_groups_project_id_port_id_fkey" FOREIGN KEY ("project_id", "port_id") REFERENCES "ports"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "port_security_groups" ADD CONSTRAINT "port_security_groups_project_id_security_group_id_fkey" FOREIGN KEY ("project_id", "security_group_id") REFERENCES "security_groups"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "floating_ips" ADD CONSTRAINT "floating_ips_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "floating_ips" ADD CONSTRAINT "floating_ips_host_id_fkey" FOREIGN KEY ("host_id") REFERENCES "hosts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "floating_ips" ADD CONSTRAINT "floating_ips_project_id_port_id_fkey" FOREIGN KEY ("project_id", "port_id") REFERENCES "ports"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volumes" ADD CONSTRAINT "volumes_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volumes" ADD CONSTRAINT "volumes_host_id_fkey" FOREIGN KEY ("host_id") REFERENCES "hosts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volumes" ADD CONSTRAINT "volumes_image_owner_id_image_id_fkey" FOREIGN KEY ("image_owner_id", "image_id") REFERENCES "images"("owner_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volumes" ADD CONSTRAINT "volumes_project_id_snapshot_id_fkey" FOREIGN KEY ("project_id", "snapshot_id") REFERENCES "snapshots"("project_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volume_attachments" ADD CONSTRAINT "volume_attachments_project_id_volume_id_fkey" FOREIGN KEY ("project_id", "volume_id") REFERENCES "volumes"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volume_attachments" ADD CONSTRAINT "volume_attachments_project_id_instance_id_fkey" FOREIGN KEY ("project_id", "instance_id") REFERENCES "instances"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_project_id_volume_id_fkey" FOREIGN KEY ("project_id", "volume_id") REFERENCES "volumes"("project_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What the code promises, refused by the database too.
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_check" CHECK (vcpus_reserved >= 0 AND memory_mb_reserved >= 0
  AND disk_gb_reserved >= 0 AND gpu_slices_reserved >= 0 AND floating_ip_first <= floating_ip_last);
ALTER TABLE "flavors" ADD CONSTRAINT "flavors_check" CHECK (vcpus > 0 AND ram_gb > 0 AND disk_gb > 0 AND gpu_slices >= 0
  AND status IN ('active', 'deprecated'));
ALTER TABLE "instances" ADD CONSTRAINT "instances_status_check" CHECK (status IN
  ('provisioning', 'active', 'stopped', 'paused', 'rebooting', 'rebuilding', 'deleting', 'error'));
ALTER TABLE "instances" ADD CONSTRAINT "instances_task_check" CHECK (task IN
  ('creating', 'starting', 'stopping', 'pausing', 'unpausing', 'rebooting', 'rebuilding', 'deleting'));
ALTER TABLE "instances" ADD CONSTRAINT "instances_power_check" CHECK (power IN ('running', 'paused', 'stopped'));
ALTER TABLE "instances" ADD CONSTRAINT "instances_image_check" CHECK
  (image_owner_id IN (project_id, '00000000-0000-0000-0000-000000000000'));
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_cidr_check" CHECK (family(cidr) = 4 AND cidr = network(cidr)
  AND masklen(cidr) BETWEEN 16 AND 29 AND masklen(gateway_ip) = 32 AND gateway_ip << cidr
  AND host(gateway_ip) NOT IN (host(cidr), host(broadcast(cidr))));
ALTER TABLE "ports" ADD CONSTRAINT "ports_check" CHECK (family(ip) = 4 AND masklen(ip) = 32
  AND mac ~ '^([0-9a-f]{2}:){5}[0-9a-f]{2}$');
ALTER TABLE "security_group_rules" ADD CONSTRAINT "security_group_rules_check" CHECK (
  direction IN ('ingress', 'egress') AND protocol IN ('tcp', 'udp', 'icmp', 'any')
  AND family(cidr) = 4 AND cidr = network(cidr)
  AND (port_range_min IS NULL) = (port_range_max IS NULL)
  AND (port_range_min IS NULL OR protocol IN ('tcp', 'udp'))
  AND port_range_min BETWEEN 1 AND 65535 AND port_range_max BETWEEN port_range_min AND 65535);
ALTER TABLE "floating_ips" ADD CONSTRAINT "floating_ips_check" CHECK (family(address) = 4 AND masklen(address) = 32);
ALTER TABLE "volumes" ADD CONSTRAINT "volumes_check" CHECK (size_gb > 0 AND status IN
  ('creating', 'available', 'attaching', 'in_use', 'detaching', 'resizing', 'deleting', 'error'));
ALTER TABLE "volumes" ADD CONSTRAINT "volumes_source_check" CHECK ((image_id IS NULL) = (image_owner_id IS NULL)
  AND (image_id IS NULL OR snapshot_id IS NULL)
  AND image_owner_id IN (project_id, '00000000-0000-0000-0000-000000000000'));
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_check" CHECK (size_gb > 0 AND status IN
  ('creating', 'available', 'deleting', 'error'));
ALTER TABLE "images" ADD CONSTRAINT "images_check" CHECK (format IN ('QCOW2', 'RAW', 'ISO') AND status IN
  ('queued', 'saving', 'importing', 'active', 'deleting', 'error') AND min_disk_gb >= 0 AND min_ram_mb >= 0
  AND owner_id = coalesce(project_id, '00000000-0000-0000-0000-000000000000'));

-- Overlap is decided by the database: two creates at once can't both be right.
CREATE EXTENSION IF NOT EXISTS btree_gist;
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_no_overlap" EXCLUDE USING gist (router_id WITH =, cidr inet_ops WITH &&);

-- One of each for every project.
CREATE UNIQUE INDEX "networks_default_key" ON "networks" (project_id) WHERE is_default;
CREATE UNIQUE INDEX "security_groups_default_key" ON "security_groups" (project_id) WHERE is_default;

-- What a worker looks for: few rows, however many there are.
CREATE INDEX "routers_behind_idx" ON "routers" (host_id) WHERE applied_revision <> revision;

ALTER TABLE "hosts" SET (fillfactor = 50);
ALTER TABLE "routers" SET (fillfactor = 50);
ALTER TABLE "instances" SET (fillfactor = 70);

-- The catalogue. Lists show the newest first, so that the smallest has the last id.
INSERT INTO "flavors" (id, name, vcpus, ram_gb, disk_gb, gpu_slices, created_at, updated_at)
SELECT ('01940000-0000-7000-8000-' || lpad(to_hex(100 - position), 12, '0'))::uuid, name, vcpus, ram_gb, disk_gb, gpu_slices,
  '2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z'
FROM (VALUES
  (0, 'nano', 1, 0.25, 2, 0),
  (1, 'micro', 1, 0.5, 5, 0),
  (2, 'small', 1, 1, 10, 0),
  (3, 'medium', 2, 2, 20, 0),
  (4, 'large', 2, 4, 40, 0),
  (5, 'xlarge', 4, 8, 80, 0),
  (6, '2xlarge', 8, 16, 160, 0),
  (7, '4xlarge', 16, 32, 320, 0),
  (8, 'compute-large', 4, 4, 40, 0),
  (9, 'compute-xlarge', 8, 8, 80, 0),
  (10, 'memory-large', 2, 8, 40, 0),
  (11, 'memory-xlarge', 4, 16, 80, 0),
  (12, 'gpu-small', 4, 16, 80, 1),
  (13, 'gpu-large', 8, 32, 160, 4)
) AS catalogue (position, name, vcpus, ram_gb, disk_gb, gpu_slices);

-- The image that every installation can make by itself.
INSERT INTO "images" (id, owner_id, name, description, format, status, source, min_disk_gb, min_ram_mb, os_distro,
  default_user, created_at, updated_at)
VALUES ('01940000-0000-7000-8000-000000000101', '00000000-0000-0000-0000-000000000000', 'nephele-tiny',
  'A tiny Linux, built on this platform: boots in seconds, has a shell and a web server.', 'QCOW2', 'queued',
  '{"kind": "tiny"}', 1, 64, 'nephele', 'root', '2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z');
