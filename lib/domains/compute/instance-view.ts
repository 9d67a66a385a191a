import { raw } from '@/lib/core/db/sql';
import type { Instance } from './schema';

/** An instance as `instanceColumns` read it. */
export type InstanceRow = Omit<Instance, 'fault' | 'launched_at' | 'network_id' | 'created_at' | 'updated_at'> & {
  launched_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/** Of `instances i`; everything beside it in sub-selects, so that pages of any order read only what they show. */
export const instanceColumns =
  raw(`i.id, i.name, i.hostname, i.status, i.status_reason, i.task, i.flavor_id, i.image_id,
  i.ssh_public_key, i.launched_at, i.created_at, i.updated_at,
  (SELECT jsonb_build_object('id', f.id, 'name', f.name, 'vcpus', f.vcpus, 'ram_gb', f.ram_gb, 'disk_gb', f.disk_gb,
     'gpu_slices', f.gpu_slices) FROM flavors f WHERE f.id = i.flavor_id) AS flavor,
  (SELECT jsonb_build_object('id', m.id, 'name', m.name, 'default_user', m.default_user)
     FROM images m WHERE m.id = i.image_id) AS image,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('network_id', p.network_id, 'port_id', p.id, 'ip', host(p.ip), 'mac', p.mac,
     'floating_ip', (SELECT host(a.address) FROM floating_ips a WHERE a.port_id = p.id)) ORDER BY p.id), '[]')
     FROM ports p WHERE p.device_id = i.id) AS addresses,
  ARRAY(SELECT DISTINCT c.security_group_id::text FROM ports p JOIN port_security_groups c ON c.port_id = p.id
     WHERE p.device_id = i.id ORDER BY 1) AS security_group_ids,
  ARRAY(SELECT a.volume_id::text FROM volume_attachments a WHERE a.instance_id = i.id ORDER BY 1) AS volume_ids`);

/** The instance on the wire. Its user data, which may hold secrets, is not in it. */
export function viewInstance(row: InstanceRow): Instance {
  const { status, status_reason } = row;
  const updated_at = row.updated_at.toISOString();
  return {
    ...row,
    fault:
      status === 'error'
        ? { message: status_reason ?? 'The instance failed for an unknown reason.', at: updated_at }
        : null,
    network_id: row.addresses[0]?.network_id ?? null,
    launched_at: row.launched_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at,
  };
}
