-- A group has a rule once, also where two callers add it at the same time.
CREATE UNIQUE INDEX "security_group_rules_once_key" ON "security_group_rules"
  (security_group_id, direction, protocol, coalesce(port_range_min, 0), coalesce(port_range_max, 0), cidr);

-- Counts anew what a host has promised to what lives on it, so that no mistake in a sum lasts. The host's row is locked
-- first, and the statement after that sees what was committed until then.
CREATE FUNCTION recount_host(recounted text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM FROM hosts WHERE id = recounted FOR UPDATE;
  UPDATE hosts SET vcpus_reserved = held.vcpus, gpu_slices_reserved = held.gpu_slices,
    memory_mb_reserved = held.memory_mb + held.instances * hosts.memory_mb_overhead, disk_gb_reserved = held.disk_gb + volumes.gb
  FROM (
    SELECT count(*)::int AS instances, coalesce(sum(f.vcpus), 0)::int AS vcpus, coalesce(sum(f.gpu_slices), 0)::int AS gpu_slices,
      coalesce(sum(ceil(f.ram_gb * 1024)), 0)::int AS memory_mb, coalesce(sum(f.disk_gb), 0)::int AS disk_gb
    FROM instances i JOIN flavors f ON f.id = i.flavor_id WHERE i.host_id = recounted
  ) AS held, (SELECT coalesce(sum(size_gb), 0)::int AS gb FROM volumes WHERE host_id = recounted) AS volumes
  WHERE hosts.id = recounted AND (vcpus_reserved, gpu_slices_reserved, memory_mb_reserved, disk_gb_reserved) IS DISTINCT FROM
    (held.vcpus, held.gpu_slices, held.memory_mb + held.instances * hosts.memory_mb_overhead, held.disk_gb + volumes.gb);
END $$;
