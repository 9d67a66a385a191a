import { query } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { servedCertificates } from '@/lib/domains/certificates/uses';
import { joinPorts, joinSubnet } from '@/lib/domains/network/fragments';
import type { ServiceFile, ServiceSpec } from '@/lib/hosts/services/engine';
import {
  ADMIN_SOCKET,
  type BalancerFacts,
  balancerFacts,
  certificateListPath,
  certificatePath,
  defaultCertificatePath,
  FILES,
  renderConfiguration,
} from './configuration';
import { NODE_MEMORY_MB } from './service';

export const proxyProgram = { name: 'haproxy', version: 'debian' };
const CONFIGURATION = 'haproxy.cfg';

type Facts = {
  id: string;
  load_balancer_id: string;
  project_id: string;
  is_active: boolean;
  moves: number;
  vip: string;
  template: unknown;
  port_id: string;
  network_id: string;
  mac: string;
  ip: string;
  prefix_length: number;
  gateway_ip: string;
};

/** The desired state of nodes. @param chosen a condition on nodes `n` of load balancers `b` */
export async function nodeSpecs(chosen: Sql): Promise<ServiceSpec[]> {
  const nodes = await query<Facts>(sql`
    SELECT n.id, b.id AS load_balancer_id, b.project_id, b.active_ordinal = n.ordinal AS is_active, b.moves, host(vip.ip) AS vip, b.template, p.id AS port_id, p.network_id, p.mac,
      host(p.ip) AS ip, masklen(s.cidr) AS prefix_length, host(s.gateway_ip) AS gateway_ip
    FROM load_balancer_nodes n JOIN load_balancers b ON b.id = n.load_balancer_id
      ${joinPorts('n')} ${joinPorts('b', 'vip')} ${joinSubnet('p')} WHERE ${chosen} ORDER BY n.id`);
  const balancers = new Map(nodes.map((node) => [node.load_balancer_id, node]));
  const files = new Map<string, ServiceFile[]>();
  for (const { load_balancer_id, project_id, template } of balancers.values()) {
    files.set(load_balancer_id, await certificateFiles(project_id, balancerFacts.parse(template)));
  }
  return nodes.map((node) => specOf(node, files.get(node.load_balancer_id) ?? []));
}

/**
 * The certificates that the listeners name, each in a file with its key, and the files that tell a listener which are its own.
 * Lists come last: what they name is there before them.
 */
async function certificateFiles(projectId: string, { listeners }: BalancerFacts): Promise<ServiceFile[]> {
  const ids = new Set(listeners.flatMap(({ certificate_ids }) => certificate_ids));
  if (ids.size === 0) return [];
  const certificates = await servedCertificates(projectId, [...ids]);
  const contents = new Map(
    certificates.map(({ id, chain_pem, private_key_pem }) => [id, `${chain_pem.trim()}\n${private_key_pem.trim()}\n`]),
  );
  const file = (path: string, content: string) => ({ path, content, secret: true, live: true });
  return [
    ...[...contents].map(([id, content]) => file(certificatePath(id), content)),
    ...listeners.flatMap(({ id, certificate_ids }) => {
      const own = certificate_ids.filter((certificate) => contents.has(certificate));
      const first = contents.get(own[0] ?? '');
      if (first === undefined) return [];
      const lines = own.map((certificate) => `${FILES}/${certificatePath(certificate)}\n`);
      return [file(defaultCertificatePath(id), first), file(certificateListPath(id), lines.join(''))];
    }),
  ];
}

function specOf(facts: Facts, certificates: ServiceFile[]): ServiceSpec {
  return {
    id: facts.id,
    program: proxyProgram,
    // `-W`: a master process that reloads on SIGUSR2.
    argv: ['/usr/sbin/haproxy', '-W', '-f', `${FILES}/${CONFIGURATION}`],
    environment: {},
    files: [
      {
        path: CONFIGURATION,
        content: renderConfiguration(balancerFacts.parse(facts.template), facts.gateway_ip),
        secret: false,
      },
      ...certificates,
    ],
    state: null,
    port: {
      id: facts.port_id,
      networkId: facts.network_id,
      mac: facts.mac,
      ip: facts.ip,
      prefixLength: facts.prefix_length,
      gatewayIp: facts.gateway_ip,
      dnsServers: [facts.gateway_ip],
      sharedAddresses: facts.is_active ? [facts.vip] : [],
      moves: facts.moves,
    },
    limits: { cpuMillis: 500, memoryMb: NODE_MEMORY_MB, processes: 16, openFiles: 16_384 },
    health: { kind: 'socket', path: ADMIN_SOCKET },
    restart: 'always',
    reload: { kind: 'signal', signal: 'SIGUSR2' },
    power: 'running',
    stopSeconds: 2,
  };
}
