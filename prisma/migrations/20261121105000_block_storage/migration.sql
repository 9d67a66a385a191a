-- 1 GB is 0.0009765625 TB: with six decimals the sum of many volumes would drift from what they are.
ALTER TABLE "project_accounts" ALTER COLUMN "storage_tb_used" SET DATA TYPE DECIMAL(20,10);
ALTER TABLE "quota_ledger" ALTER COLUMN "amount" SET DATA TYPE DECIMAL(20,10);

-- What stands on a thing, in words; NULL: nothing. Functions, because a statement that has waited for the project's lock
-- must see what was committed meanwhile, and only a volatile function does.
CREATE FUNCTION volume_dependants(volume uuid) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN coalesce(
    (SELECT 'attached to instance ' || i.name FROM volume_attachments a JOIN instances i ON i.id = a.instance_id
     WHERE a.volume_id = volume),
    (SELECT 'what ' || CASE count(*) WHEN 1 THEN 'snapshot ' ELSE count(*) || ' snapshots ' END
       || string_agg(s.name, ', ' ORDER BY s.id) FILTER (WHERE s.position <= 5)
       || CASE WHEN count(*) > 5 THEN ' …' ELSE '' END || CASE count(*) WHEN 1 THEN ' is of' ELSE ' are of' END
     FROM (SELECT id, name, row_number() OVER (ORDER BY id) AS position FROM snapshots WHERE volume_id = volume) AS s
     HAVING count(*) > 0));
END $$;

CREATE FUNCTION snapshot_dependants(snapshot uuid) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT v.name FROM volumes v WHERE v.snapshot_id = snapshot AND v.status = 'creating' ORDER BY v.id LIMIT 1);
END $$;

CREATE FUNCTION image_dependants(image uuid) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (
    SELECT string_agg(d.label, ', ' ORDER BY d.position) FILTER (WHERE d.position <= 5)
      || CASE WHEN count(*) > 5 THEN ' and ' || count(*) - 5 || ' more' ELSE '' END
    FROM (
      SELECT label, row_number() OVER (ORDER BY kind, id) AS position FROM (
        SELECT 1 AS kind, i.id, 'instance ' || i.name AS label FROM instances i WHERE i.image_id = image
        UNION ALL
        SELECT 2, v.id, 'volume ' || v.name FROM volumes v WHERE v.image_id = image
      ) AS dependants
    ) AS d);
END $$;

-- Well-known systems, fetched when they are first needed. What they publish now is what is fetched: the checksum comes
-- from the publisher's own list, over TLS. Lists show the newest first, so that the first one has the last id.
INSERT INTO "images" (id, owner_id, name, description, format, status, source, min_disk_gb, min_ram_mb, os_distro,
  os_version, default_user, created_at, updated_at)
SELECT ('01940000-0000-7000-8000-' || lpad(to_hex(256 - position), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000',
  name, description, 'QCOW2', 'queued',
  jsonb_build_object('kind', 'fetch', 'url', base || file, 'checksums', jsonb_build_object('algorithm', algorithm,
    'url', base || upper(algorithm) || 'SUMS')), min_disk_gb, 512, distro, version, default_user,
  '2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z'
FROM (VALUES
  (0, 'Ubuntu 24.04 LTS', 'Ubuntu Server with cloud-init.', 'https://cloud-images.ubuntu.com/releases/noble/release/',
    'ubuntu-24.04-server-cloudimg-amd64.img', 'sha256', 4, 'ubuntu', '24.04', 'ubuntu'),
  (1, 'Debian 13', 'Debian trixie with cloud-init.', 'https://cloud.debian.org/images/cloud/trixie/latest/',
    'debian-13-genericcloud-amd64.qcow2', 'sha512', 3, 'debian', '13', 'debian'),
  (2, 'Debian 12', 'Debian bookworm with cloud-init.', 'https://cloud.debian.org/images/cloud/bookworm/latest/',
    'debian-12-genericcloud-amd64.qcow2', 'sha512', 3, 'debian', '12', 'debian')
) AS catalogue (position, name, description, base, file, algorithm, min_disk_gb, distro, version, default_user);
