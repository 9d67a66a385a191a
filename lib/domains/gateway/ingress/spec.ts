import { readFile } from 'node:fs/promises';
import { servedCertificates } from '@/lib/domains/certificates/uses';
import { proxyProgram } from '@/lib/domains/loadbalancing/node-spec';
import { ensureCertificate } from '@/lib/hosts/certificates/certificates';
import type { ServiceFile, ServiceSpec } from '@/lib/hosts/services/engine';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';
import {
  ADMIN_SOCKET,
  AUTHORITIES,
  CONFIGURATION,
  certificatePath,
  DEFAULT_CERTIFICATE,
  FILES,
  type Places,
  renderGateway,
  type ServedRoute,
  THREADS,
} from '../configuration';

/** Memory of the gateway's process. */
const MEMORY_MB = 512;
const SYSTEM_AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/** Where the gateway of this host listens. */
export function placesHere(): Places {
  const { gatewayDomain, gatewayHost, gatewayHttpPort, gatewayHttpsPort, host, port } = settings();
  const platform = { host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, port };
  return {
    host: gatewayHost,
    httpPort: gatewayHttpPort,
    httpsPort: gatewayHttpsPort,
    platform,
    functionDomain: gatewayDomain,
  };
}

/** The gateway's service without its files, for whoever needs to know only that it exists. */
export const bareSpec = (
  id: string,
  power: ServiceSpec['power'] = 'running',
  files: ServiceFile[] = [],
): ServiceSpec => ({
  id,
  program: proxyProgram,
  // `-W`: a master process that reloads on SIGUSR2.
  argv: ['/usr/sbin/haproxy', '-W', '-f', `${FILES}/${CONFIGURATION}`],
  environment: {},
  files,
  state: null,
  port: null,
  front: true,
  limits: { cpuMillis: THREADS * 1000, memoryMb: MEMORY_MB, processes: 128, openFiles: 20_000 },
  health: { kind: 'socket', path: ADMIN_SOCKET },
  restart: 'always',
  reload: { kind: 'signal', signal: 'SIGUSR2' },
  power,
  stopSeconds: 2,
});

/** The files of the gateway for these routes, with their certificates. */
export async function filesOf(
  id: string,
  poolSize: number,
  routes: readonly ServedRoute[],
  owners: ReadonlyMap<string, string>,
): Promise<ServiceFile[]> {
  const certificates = await certificateFiles(routes, owners);
  const trusted = await readFile(SYSTEM_AUTHORITIES, 'utf8').catch(() => '');
  const pool = { size: poolSize, hasAuthorities: trusted !== '' };
  const issued = new Set(certificates.map(({ path }) => path));
  // An ordered certificate is listed once it has been issued.
  const served = routes.map((route) => ({
    ...route,
    certificate_id:
      route.certificate_id !== null && issued.has(certificatePath(route.certificate_id)) ? route.certificate_id : null,
  }));
  return [
    ...renderGateway(placesHere(), pool, served).map((file) => ({ ...file, secret: false })),
    { path: DEFAULT_CERTIFICATE, content: await defaultCertificate(id), secret: true, live: true },
    { path: AUTHORITIES, content: trusted, secret: false, live: true },
    ...certificates,
  ];
}

/** For hosts without a certificate of their own: the operator's, or one that no client trusts. */
async function defaultCertificate(id: string): Promise<string> {
  const { gatewayTlsCert, gatewayDomain } = settings();
  if (gatewayTlsCert !== undefined) {
    try {
      return await readFile(gatewayTlsCert, 'utf8');
    } catch (error) {
      log.error({ err: error }, 'GATEWAY_TLS_CERT cannot be read: a self-signed certificate is used');
    }
  }
  const request = {
    common_name: gatewayDomain,
    dns_names: [gatewayDomain, `*.${gatewayDomain}`],
    addresses: [],
    usage: 'server' as const,
  };
  const { certificate, key } = await ensureCertificate({ id, kind: 'gateway', project_id: null }, 'default', request);
  return `${certificate.trim()}\n${key.trim()}\n`;
}

/** @param owners projects by route */
async function certificateFiles(
  routes: readonly ServedRoute[],
  owners: ReadonlyMap<string, string>,
): Promise<ServiceFile[]> {
  const byProject = new Map<string, Set<string>>();
  for (const { id, certificate_id } of routes) {
    const project = owners.get(id);
    if (certificate_id === null || project === undefined) continue;
    byProject.set(project, (byProject.get(project) ?? new Set()).add(certificate_id));
  }
  const found = await Promise.all([...byProject].map(([project, ids]) => servedCertificates(project, [...ids])));
  return found.flat().map(({ id, chain_pem, private_key_pem }) => ({
    path: certificatePath(id),
    content: `${chain_pem.trim()}\n${private_key_pem.trim()}\n`,
    secret: true,
    live: true,
  }));
}
