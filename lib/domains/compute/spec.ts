import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { wiredPortsOf } from '@/lib/domains/network/fragments';
import { volumesKeptBy } from '@/lib/domains/storage/fragments';
import type { InstancePort, InstanceSpec } from './engine';
import type { Power } from './transitions';

type Row = {
  id: string;
  vcpus: number;
  ram_mb: number;
  disk_gb: number;
  image_id: string;
  generation: number;
  power: Power;
  hostname: string;
  ssh_public_key: string | null;
  user_data: string | null;
  ports: InstancePort[];
  volume_ids: string[];
};

const port = sql`jsonb_build_object('id', p.id, 'networkId', p.network_id, 'mac', p.mac, 'ip', host(p.ip),
  'prefixLength', masklen(s.cidr), 'gatewayIp', host(s.gateway_ip), 'dnsServers', s.dns_servers, 'dhcp', s.dhcp_enabled)`;

/** An instance as it should be, for the engine; undefined when it is gone. */
export async function readSpec(id: string): Promise<InstanceSpec | undefined> {
  const row = await queryOne<Row>(sql`
    SELECT i.id, f.vcpus, ceil(f.ram_gb * 1024)::int AS ram_mb, f.disk_gb, i.image_id, i.generation, i.power, i.hostname,
      i.ssh_public_key, i.user_data,
      ${wiredPortsOf('i', port)} AS ports, ${volumesKeptBy('i.id')} AS volume_ids
    FROM instances i JOIN flavors f ON f.id = i.flavor_id WHERE i.id = ${id}::uuid`);
  if (!row) return undefined;
  return {
    id: row.id,
    vcpus: row.vcpus,
    ramMb: row.ram_mb,
    disk: { imageId: row.image_id, sizeGb: row.disk_gb, generation: row.generation },
    ports: row.ports,
    volumeIds: row.volume_ids,
    seed: {
      hostname: row.hostname,
      sshPublicKeys: row.ssh_public_key === null ? [] : [row.ssh_public_key],
      userData: row.user_data,
    },
    power: row.power,
  };
}
