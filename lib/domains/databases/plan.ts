import { conflict, invalid, noSuch } from '@/lib/core/api/errors';
import { isId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { activeFlavor } from '@/lib/domains/compute/fragments';
import type { SecurityRule } from '@/lib/domains/network/engine';
import { settings } from '@/lib/settings';
import { type DatabaseEngine, memberCounts } from './engines';
import { enginePorts } from './ports';
import { defaultVersion, findVersion, versionsOf } from './versions';

export type ClusterSize = {
  flavor_id: string | null;
  vcpus: number;
  ram_gb: number;
  storage_gb: number;
  instances: number;
};

type Wanted = { flavor_id?: string | undefined; vcpus?: number | undefined; ram_gb?: number | undefined };

const SMALLEST = { flavor_id: null, vcpus: 1, ram_gb: 1 };

/** The size of each member; `present` where the request names none. @throws ApiError 404 for the flavor */
export async function memberSize(
  { flavor_id, vcpus, ram_gb }: Wanted,
  present: Pick<ClusterSize, 'flavor_id' | 'vcpus' | 'ram_gb'> = SMALLEST,
) {
  if (flavor_id === undefined) {
    if (vcpus === undefined && ram_gb === undefined) return present;
    return { flavor_id: null, vcpus: vcpus ?? present.vcpus, ram_gb: ram_gb ?? present.ram_gb };
  }
  const flavor = isId(flavor_id)
    ? await queryOne<{ id: string; vcpus: number; ram_gb: string }>(activeFlavor(flavor_id))
    : undefined;
  if (!flavor) throw noSuch('flavor_id', 'flavor');
  return { flavor_id: flavor.id, vcpus: flavor.vcpus, ram_gb: Number(flavor.ram_gb) };
}

/** @throws ApiError 400 that lists the numbers of members that the engine allows */
export function requireInstances(engine: DatabaseEngine, instances: number): void {
  const { allowed } = memberCounts[engine];
  if (!allowed.includes(instances))
    throw invalid(`instances: ${engine} clusters have ${allowed.join(', ')} members, not ${instances}.`);
}

/** The version of a new cluster. @throws ApiError 400 that lists the certified ones */
export function requireVersion(engine: DatabaseEngine, version: string | undefined): string {
  const found = version === undefined ? defaultVersion(engine) : findVersion(engine, version);
  if (found) return found.version;
  const list = versionsOf(engine).map((one) => one.version);
  throw invalid(`version: ${version} is not certified for ${engine}. Choose one of ${list.join(', ')}.`);
}

/** @throws ApiError 409 that names the setting of the limit beside the quotas (services, section 0) */
export function requireWithinLimits({ vcpus, ram_gb, storage_gb, instances }: ClusterSize): void {
  const most = settings().databaseCluster;
  const parts: [number, number, string, string][] = [
    [instances, most.instances, 'instances', 'DATABASE_CLUSTER_INSTANCES'],
    [vcpus * instances, most.vcpus, 'vCPUs', 'DATABASE_CLUSTER_VCPUS'],
    [ram_gb * instances, most.ramGb, 'GB of memory', 'DATABASE_CLUSTER_RAM_GB'],
    [storage_gb * instances, most.storageGb, 'GB of storage', 'DATABASE_CLUSTER_STORAGE_GB'],
  ];
  for (const [wanted, limit, what, setting] of parts) {
    if (wanted > limit)
      throw conflict(
        `A cluster may have ${limit} ${what} in all its members (${setting}), and this one would have ${wanted}. Choose less, or ask the operator to raise the limit.`,
      );
  }
}

/** Memory of the endpoint process, whatever the size of its cluster. */
export const ENDPOINT_MEMORY_MB = 64;

/** What one member reserves in its cell. */
export const memberRoom = ({ vcpus, ram_gb, storage_gb }: Pick<ClusterSize, 'vcpus' | 'ram_gb' | 'storage_gb'>) => ({
  vcpus,
  memory_mb: Math.ceil(ram_gb * 1024),
  disk_gb: storage_gb,
});

const anything = { protocol: 'any', portRangeMin: null, portRangeMax: null, cidr: '0.0.0.0/0' } as const;
export const egressRule: SecurityRule = { direction: 'egress', ...anything };

const inward = (cidr: string, first: number, last: number): SecurityRule => ({
  direction: 'ingress',
  protocol: 'tcp',
  portRangeMin: first,
  portRangeMax: last,
  cidr,
});

/** Rules of an endpoint's port without security groups: the ports of the engine are open to the network's own range. */
export function openToNetwork(engine: DatabaseEngine, cidr: string): SecurityRule[] {
  const { serving, reading, sentinel } = enginePorts[engine];
  return [
    egressRule,
    inward(cidr, serving, reading ?? serving),
    ...(sentinel === null ? [] : [inward(cidr, sentinel, sentinel)]),
  ];
}

/** Rules of a member's port: those of the endpoint, and what members need of each other. */
export const openToPeers = (engine: DatabaseEngine, cidr: string): SecurityRule[] => [
  ...openToNetwork(engine, cidr),
  ...enginePorts[engine].peers.map((port) => inward(cidr, port, port)),
];
