import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureCertificate, type ServiceCertificate } from '@/lib/hosts/certificates/certificates';
import type { ServiceFile, ServicePort, ServiceSpec } from '@/lib/hosts/services/engine';
import {
  ADMIN_SOCKET,
  type EndpointFacts,
  HOLD_FILE,
  renderEndpoint,
  SENTINEL_FILE,
  TLS_FILE,
} from '../endpoint/configuration';
import type { Endpoint } from '../endpoint/endpoint';
import { ENDPOINT_MEMORY_MB } from '../plan';
import { enginePorts } from '../ports';
import { hostName } from '../service';
import { type Cluster, primaryOf, servingMembers } from './clusters';

const HERE = dirname(fileURLToPath(import.meta.url));
const luaOf = (name: string) => readFileSync(join(HERE, '../endpoint', name), 'utf8');
export const HOLD_ACTION = luaOf('hold.lua');
const SENTINEL = luaOf('sentinel.lua');

/**
 * One certificate for all that speak TLS: it names every address at which a client may find one. An endpoint that speaks it
 * alone is known by its own: it would begin anew whenever members come or go.
 */
export const certificateOf = (cluster: Cluster): Promise<ServiceCertificate> =>
  ensureCertificate({ id: cluster.id, kind: 'database_cluster', project_id: cluster.project_id }, 'server', {
    common_name: cluster.name,
    dns_names: [...['', '.internal'].map((end) => `${hostName(cluster)}${end}`), 'localhost'],
    addresses: [
      cluster.address,
      ...(cluster.floating_ip === null ? [] : [cluster.floating_ip]),
      ...(enginePorts[cluster.engine].tls === 'endpoint' ? [] : cluster.members.map(({ ip }) => ip).toSorted()),
    ],
    usage: 'server',
  });

/** The port of a member or an endpoint, as its process gets it. */
export const portOf = (cluster: Cluster, port: { port_id: string; mac: string; ip: string }): ServicePort => ({
  id: port.port_id,
  networkId: cluster.network_id,
  mac: port.mac,
  ip: port.ip,
  prefixLength: cluster.prefix_length,
  gatewayIp: cluster.gateway_ip,
  dnsServers: [cluster.gateway_ip],
  sharedAddresses: [],
});

/** What the endpoint should know now. */
export function endpointFacts(cluster: Cluster): EndpointFacts {
  const members = servingMembers(cluster);
  return {
    name: cluster.name,
    primary: primaryOf(members)?.ip ?? null,
    members: members.map(({ ip, role }) => ({ address: ip, reads: role === 'standby' })),
  };
}

/** The endpoint process of a cluster. */
export const endpointOf = (
  cluster: Pick<Cluster, 'cell_id' | 'id' | 'engine' | 'network_id' | 'address'>,
): Endpoint => ({
  cell: cluster.cell_id,
  id: cluster.id,
  networkId: cluster.network_id,
  address: cluster.address,
  port: enginePorts[cluster.engine].serving,
  straight: enginePorts[cluster.engine].straight,
});

async function endpointCertificate(cluster: Cluster): Promise<ServiceFile> {
  const { certificate, key } = await certificateOf(cluster);
  return { path: TLS_FILE, content: `${certificate.trimEnd()}\n${key}`, secret: true };
}

/** What every endpoint's process has. */
export const endpointProcess = {
  program: { name: 'haproxy', version: 'debian' },
  argv: ['/usr/sbin/haproxy', '-db', '-f', '/etc/service/haproxy.cfg'],
  environment: {},
  state: null,
  limits: { cpuMillis: 1000, memoryMb: ENDPOINT_MEMORY_MB, processes: 8, openFiles: 20_000 },
  health: { kind: 'socket', path: ADMIN_SOCKET },
  restart: 'always',
  reload: { kind: 'restart' },
  power: 'running',
  stopSeconds: 1,
} satisfies Partial<ServiceSpec>;

/** The desired state of a cluster's endpoint: its service has the cluster's id. */
export const endpointSpec = async (cluster: Cluster): Promise<ServiceSpec> => ({
  ...endpointProcess,
  id: cluster.id,
  // Changes reach the process through its runtime API.
  files: [
    {
      path: 'haproxy.cfg',
      content: renderEndpoint(endpointFacts(cluster), enginePorts[cluster.engine]),
      secret: false,
      live: true,
    },
    { path: HOLD_FILE, content: HOLD_ACTION, secret: false, live: true },
    ...(enginePorts[cluster.engine].sentinel === null
      ? []
      : [{ path: SENTINEL_FILE, content: SENTINEL, secret: false, live: true }]),
    ...(enginePorts[cluster.engine].tls === 'endpoint' ? [await endpointCertificate(cluster)] : []),
  ],
  port: portOf(cluster, { ...cluster, ip: cluster.address }),
});
