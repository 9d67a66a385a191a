'use client';

import type { List } from '@/lib/client/list';
import { type Row, useList } from '@/lib/client/list';
import type { Topology } from './topology-layout';
import type { FloatingIp, Network, Port, Router } from './types';

/** The API's most in one answer; what is beyond is counted. */
const MOST = 200;

export interface TopologyData {
  topology: Topology;
  routers: ReadonlyMap<string, Router>;
  networks: ReadonlyMap<string, Network>;
  ports: ReadonlyMap<string, Port>;
  floatingIps: ReadonlyMap<string, FloatingIp>;
  /** States of instances; of those that are not among them, the port's says enough. */
  instances: ReadonlyMap<string, Row<'/api/v1/compute/instances'>>;
}

interface TopologyQuery {
  data: TopologyData | undefined;
  error: unknown;
  refetch: () => void;
}

/** Everything that the picture shows, kept up to date by what changes. */
export function useTopology(): TopologyQuery {
  const routers = useList('/api/v1/network/routers', { limit: MOST });
  const networks = useList('/api/v1/network/networks', { limit: MOST });
  const ports = useList('/api/v1/network/ports', { limit: MOST });
  const floatingIps = useList('/api/v1/network/floating-ips', { limit: MOST });
  const instances = useList('/api/v1/compute/instances', { limit: MOST });
  const all: readonly Pick<List<unknown>, 'error' | 'refetch'>[] = [routers, networks, ports, floatingIps, instances];
  return {
    data:
      routers.data && networks.data && ports.data && floatingIps.data && instances.data
        ? {
            topology: connect(routers.data.rows, networks.data.rows, ports.data.rows, floatingIps.data.rows),
            routers: byId(routers.data.rows),
            networks: byId(networks.data.rows),
            ports: byId(ports.data.rows),
            floatingIps: byId(floatingIps.data.rows),
            instances: byId(instances.data.rows),
          }
        : undefined,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => {
      for (const query of all) if (query.error) void query.refetch();
    },
  };
}

function byId<Thing extends { id: string }>(rows: readonly Thing[]): Map<string, Thing> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** Oldest first, so that what is there keeps its place when something is added. */
function connect(
  routers: readonly Router[],
  networks: readonly Network[],
  ports: readonly Port[],
  floatingIps: readonly FloatingIp[],
): Topology {
  return {
    routers: routers.map(({ id, name }) => ({
      id,
      name,
      networks: networks
        .filter(({ router_id }) => router_id === id)
        .toReversed()
        .map((network) => {
          const own = ports.filter(({ network_id }) => network_id === network.id).toReversed();
          return { id: network.id, ports: own, more: Math.max(0, network.port_count - own.length) };
        }),
    })),
    addresses: floatingIps.toReversed().map(({ id, address, port_id }) => ({ id, address, portId: port_id })),
  };
}
