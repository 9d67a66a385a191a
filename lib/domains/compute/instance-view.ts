import { sql } from '@/lib/core/db/sql';
import { shownImage } from '@/lib/domains/images/fragments';
import { floatingIpOf, groupsOfDevice, portsOf } from '@/lib/domains/network/fragments';
import { volumesOf } from '@/lib/domains/storage/fragments';
import type { Instance } from './schema';

/** An instance as `instanceColumns` read it. */
export type InstanceRow = Omit<Instance, 'fault' | 'launched_at' | 'network_id' | 'created_at' | 'updated_at'> & {
  launched_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const address = sql`jsonb_build_object('network_id', p.network_id, 'port_id', p.id, 'ip', host(p.ip), 'mac', p.mac,
  'floating_ip', ${floatingIpOf()})`;

/** Of `instances i`; everything beside it in sub-selects, so that pages of any order read only what they show. */
export const instanceColumns = sql`i.id, i.name, i.hostname, i.status, i.status_reason, i.task, i.flavor_id, i.image_id,
  i.ssh_public_key, i.launched_at, i.created_at, i.updated_at,
  (SELECT jsonb_build_object('id', f.id, 'name', f.name, 'vcpus', f.vcpus, 'ram_gb', f.ram_gb, 'disk_gb', f.disk_gb,
     'gpu_slices', f.gpu_slices) FROM flavors f WHERE f.id = i.flavor_id) AS flavor,
  ${shownImage('i.image_id')} AS image, ${portsOf('i', address)} AS addresses, ${groupsOfDevice('i')} AS security_group_ids,
  ${volumesOf('i.id')} AS volume_ids`;

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
