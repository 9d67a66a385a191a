import { z } from 'zod';
import { healthCheck } from './schema';

const memberFacts = z.object({
  slot: z.int(),
  address: z.string(),
  port: z.int(),
  weight: z.int(),
  backup: z.boolean(),
});
export type MemberFacts = z.output<typeof memberFacts>;

const listenerFacts = z.object({
  id: z.string(),
  protocol: z.enum(['HTTP', 'HTTPS', 'TCP']),
  port: z.int(),
  redirect_to_https: z.boolean(),
  allowed_cidrs: z.array(z.string()),
  certificate_ids: z.array(z.string()).default([]),
  algorithm: z.enum(['round_robin', 'least_connections', 'source_ip']),
  sticky: z.enum(['cookie', 'source_ip']).nullable(),
  health_check: healthCheck.nullable(),
  slots: z.int(),
  members: z.array(memberFacts),
});
export type ListenerFacts = z.output<typeof listenerFacts>;

/** All that the configuration of a load balancer's proxies follows from. */
export const balancerFacts = z.object({ idle_timeout_s: z.int(), listeners: z.array(listenerFacts) });
export type BalancerFacts = z.output<typeof balancerFacts>;

/** Where nodes find a certificate with its key. */
export const certificatePath = (id: string): string => `tls/${id}.pem`;
/** The certificate of a listener for host names that none covers, and the list of all of its certificates. */
export const defaultCertificatePath = (listenerId: string): string => `tls/default-${listenerId}.pem`;
export const certificateListPath = (listenerId: string): string => `tls/listener-${listenerId}.list`;
/** The folder of a node's files as the node sees it. */
export const FILES = '/etc/service';
export const ADMIN_SOCKET = 'admin.sock';
export const frontendName = (listenerId: string): string => `listener-${listenerId}`;
export const backendName = (listenerId: string): string => `pool-${listenerId}`;
export const serverName = (slot: number): string => `s${slot}`;

/** Servers of a pool's configuration: some are always free, so that new members need no reload. */
const SLOTS_AT_ONCE = 10;
export const slotsFor = (members: number): number => (Math.floor(members / SLOTS_AT_ONCE) + 1) * SLOTS_AT_ONCE;

/** What a change of requires a reload; the rest reaches running proxies through their runtime API. */
export const structureOf = ({ idle_timeout_s, listeners }: BalancerFacts): string =>
  JSON.stringify({
    idle_timeout_s,
    listeners: listeners.map(({ members, certificate_ids, ...listener }) => ({
      ...listener,
      backups: members.filter(({ backup }) => backup).map(({ slot }) => slot),
    })),
  });

/** The template with the certificates of another one that has the same structure. */
export const withCertificatesOf = (template: BalancerFacts, { listeners }: BalancerFacts): BalancerFacts => ({
  ...template,
  listeners: template.listeners.map((listener) => ({
    ...listener,
    certificate_ids: listeners.find(({ id }) => id === listener.id)?.certificate_ids ?? [],
  })),
});

/** The configuration file of a node (HAProxy 2.6). @param gateway of its network */
export function renderConfiguration({ idle_timeout_s, listeners }: BalancerFacts, gateway: string): string {
  return `${[globalSection, defaults(idle_timeout_s), link(gateway), ...listeners.flatMap((one) => [frontend(one), backend(one)])].join('\n\n')}\n`;
}

// `expose-fd listeners`: a reload hands the listening sockets over. `hard-stop-after` ends old processes whose
// connections never close.
const globalSection = `global
  log stdout format raw local0
  stats socket /run/service/${ADMIN_SOCKET} mode 600 level admin expose-fd listeners
  stats timeout 1h
  maxconn 4000
  nbthread 1
  hard-stop-after 30m
  ssl-default-bind-options ssl-min-ver TLSv1.2
  tune.ssl.default-dh-param 2048`;

// A member that vanishes answers nothing, not even a refusal: a connection to it is tried at the next one after 2 s, and
// one that waits for its response ends after 8 s without a sign of life.
const defaults = (idle: number) => `defaults
  log global
  option dontlognull
  option redispatch 1
  retries 3
  option srvtcpka
  srvtcpka-idle 5s
  srvtcpka-intvl 1s
  srvtcpka-cnt 3
  timeout connect 2s
  timeout client ${idle}s
  timeout server ${idle}s
  timeout tunnel ${idle}s
  timeout http-request 30s
  timeout http-keep-alive ${idle}s
  default-server init-addr none`;

export const LINK = { pxname: 'link', svname: 'gateway' };

/**
 * Shows whether the node's link is up: it reaches DNS at its gateway. Three tries must fail, so that a busy gateway is not a lost
 * link; still, a node without a link is noticed within a second.
 */
const link = (gateway: string) =>
  section(`backend ${LINK.pxname}`, [
    'mode tcp',
    `server ${LINK.svname} ${gateway}:53 check inter 200ms fastinter 100ms rise 1 fall 3`,
  ]);

const LOG_FORMAT = `log-format '{"client":"%ci","port":%fp,"status":%ST,"bytes":%B,"ms":%Ta,"method":"%HM","path":%{+Q}HPO,"member":"%s","request_id":"%ID","state":"%tsc"}'`;
const TCP_LOG_FORMAT = `log-format '{"client":"%ci","port":%fp,"bytes":%B,"ms":%Tt,"member":"%s","state":"%ts"}'`;

// Files with the same names whatever the certificates are: those change through the runtime API.
const tls = (listenerId: string) =>
  ` ssl crt ${FILES}/${defaultCertificatePath(listenerId)} crt-list ${FILES}/${certificateListPath(listenerId)} alpn h2,http/1.1`;

function frontend(listener: ListenerFacts): string {
  const { id, protocol, port, redirect_to_https, allowed_cidrs } = listener;
  const isHttp = protocol !== 'TCP';
  const allowed =
    allowed_cidrs.length > 0 ? [`tcp-request connection reject unless { src ${allowed_cidrs.join(' ')} }`] : [];
  const http = [
    'mode http',
    'option http-keep-alive',
    // Otherwise a reload closes idle connections on which a client is just sending a request.
    'option idle-close-on-response',
    'unique-id-format %{+X}o%Ts%rt%pid%rc%ci%cp',
    'http-request set-header X-Request-Id %[unique-id] unless { req.hdr(X-Request-Id) -m found }',
    'http-request del-header X-Forwarded-Proto',
    `http-request set-header X-Forwarded-Proto ${protocol.toLowerCase()}`,
    'option forwardfor',
    ...(redirect_to_https ? ['http-request redirect scheme https code 308'] : []),
    LOG_FORMAT,
  ];
  return section(`frontend ${frontendName(id)}`, [
    `bind :${port}${protocol === 'HTTPS' ? tls(id) : ''}`,
    ...allowed,
    ...(isHttp ? http : ['mode tcp', TCP_LOG_FORMAT]),
    `default_backend ${backendName(id)}`,
  ]);
}

const BALANCE = { round_robin: 'roundrobin', least_connections: 'leastconn', source_ip: 'source' };

function backend(listener: ListenerFacts): string {
  const { id, protocol, algorithm, sticky, health_check } = listener;
  return section(`backend ${backendName(id)}`, [
    `mode ${protocol === 'TCP' ? 'tcp' : 'http'}`,
    `balance ${BALANCE[algorithm]}`,
    'hash-type consistent',
    // Another member is asked if the response has not begun; other methods must not be carried out twice.
    ...(protocol === 'TCP'
      ? []
      : ['retry-on conn-failure empty-response', 'http-request disable-l7-retry unless METH_GET || METH_OPTIONS']),
    ...(sticky === 'cookie' ? ['cookie NEPHELE_LB insert indirect nocache httponly'] : []),
    ...(sticky === 'source_ip' ? ['stick-table type ip size 100k expire 30m', 'stick on src'] : []),
    ...(health_check?.type === 'http'
      ? [`option httpchk GET ${health_check.path}`, `http-check expect status ${health_check.expected_status}`]
      : []),
    ...(health_check ? [`timeout check ${health_check.timeout_s}s`] : []),
    ...Array.from({ length: listener.slots }, (_, index) => server(listener, index + 1)),
  ]);
}

function server({ sticky, health_check, members }: ListenerFacts, slot: number): string {
  const member = members.find((one) => one.slot === slot);
  const check = health_check
    ? // A failed connection only hastens the checks: a member that is merely busy must stay.
      ` check inter ${health_check.interval_s}s fastinter 1s rise 1 fall ${health_check.retries + 1} observe layer4 error-limit 1 on-error fastinter`
    : '';
  const cookie = sticky === 'cookie' ? ` cookie ${serverName(slot)}` : '';
  const at = member ? `${member.address}:${member.port} weight ${member.weight}` : '0.0.0.0:1 weight 1 disabled';
  return `server ${serverName(slot)} ${at}${check}${cookie}${member?.backup ? ' backup' : ''}`;
}

const section = (head: string, lines: readonly string[]) => [head, ...lines.map((line) => `  ${line}`)].join('\n');
