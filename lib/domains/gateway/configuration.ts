import { createHash } from 'node:crypto';
import { URL_SOCKET } from '@/lib/domains/functions/http/sockets';

/** Where HAProxy connects to for a backend. */
export type Target =
  | { kind: 'socket'; path: string }
  /** `verify`: the host name that its certificate must be for. */
  | { kind: 'address'; ip: string; port: number; verify: string | null };

/** A backend of a route as HAProxy gets it; without a target it cannot be reached. */
export type ServedBackend = { name: string; weight: number; target: Target | null };

/** A route that the gateway serves. */
export type ServedRoute = {
  id: string;
  host: string;
  /** Ends with a slash. */
  path_prefix: string;
  strip_prefix: boolean;
  request_timeout_s: number | null;
  sticky: boolean;
  /** Its project is suspended: 503. */
  is_suspended: boolean;
  certificate_id: string | null;
  backends: ServedBackend[];
};

/** Where the gateway listens, and what answers certificate authorities. */
export type Places = {
  host: string;
  httpPort: number;
  httpsPort: number;
  platform: { host: string; port: number };
  /** The domain below which functions have their addresses. */
  functionDomain: string;
};

export const FILES = '/etc/service';
export const ADMIN_SOCKET = 'admin.sock';
export const DEFAULT_CERTIFICATE = 'tls/default.pem';
export const certificatePath = (id: string) => `tls/${id}.pem`;
const MAP = 'routes.map';
const CERTIFICATES = 'certificates.list';
export const CONFIGURATION = 'haproxy.cfg';
export const STRUCTURE = 'structure';

export const backendName = (routeId: string) => `route-${routeId}`;
/** The route of a backend's name; undefined for the gateway's own. */
export const routeOf = (backend: string) => (backend.startsWith('route-') ? backend.slice('route-'.length) : undefined);

const CHALLENGES = '/.well-known/acme-challenge/';
const TRUSTED = '/etc/service/authorities.pem';
export const AUTHORITIES = 'authorities.pem';
/** Of backends without a `request_timeout_s`. */
const RESPONSE_S = 60;

/**
 * Everything of the configuration whose change requires a reload. Weights, addresses and certificates reach a running
 * process through its runtime API.
 */
const structureOf = (places: Places, routes: readonly ServedRoute[]) =>
  JSON.stringify([
    places,
    routes.map(({ certificate_id: _, ...route }) => ({
      ...route,
      backends: route.backends.map(({ name, target }) => ({
        name,
        target: target?.kind === 'address' ? { ...target, ip: '' } : target,
      })),
    })),
  ]);

export type Rendered = { path: string; content: string; live: boolean };

const commonDivisor = (one: number, other: number): number => (other === 0 ? one : commonDivisor(other, one % other));

/**
 * Weights as HAProxy gets them, as small as their proportion allows: after a change, the division of requests is exact again
 * once all weights together have been used up.
 */
export function smallestWeights(weights: readonly number[]): number[] {
  const divisor = Math.max(1, weights.reduce(commonDivisor, 0));
  return weights.map((weight) => weight / divisor);
}

/** The files of the gateway's HAProxy (2.6), without certificates. */
export function renderGateway(places: Places, routes: readonly ServedRoute[]): Rendered[] {
  const structure = createHash('sha256').update(structureOf(places, routes)).digest('hex');
  const configuration = [
    globalSection(structure),
    defaults,
    frontend(places),
    platform(places),
    functions,
    unknown,
    ...routes.map(backend),
  ].join('\n\n');
  return [
    { path: CONFIGURATION, content: `${configuration}\n`, live: true },
    { path: MAP, content: routes.map(mapLine).join(''), live: true },
    { path: CERTIFICATES, content: certificateList(routes), live: true },
    { path: STRUCTURE, content: structure, live: false },
  ];
}

/** As many as the processors that the service may use: each reload takes as many again until old connections have ended. */
export const THREADS = 2;

// Whoever waits for a name or a connection is a person: backends that do not answer are left soon.
/** @param structure tells processes apart: during a reload, the last one may answer for a moment */
const globalSection = (structure: string) => `global
  description ${structure}
  log stdout len 8192 format raw local0
  stats socket /run/service/${ADMIN_SOCKET} mode 600 level admin expose-fd listeners
  stats timeout 1h
  maxconn 8000
  nbthread ${THREADS}
  hard-stop-after 30m
  ssl-default-bind-options ssl-min-ver TLSv1.2
  tune.ssl.default-dh-param 2048`;

const defaults = `defaults
  mode http
  log global
  option dontlognull
  option http-keep-alive
  option redispatch 1
  retries 3
  retry-on conn-failure
  timeout connect 3s
  timeout client 60s
  timeout http-request 15s
  timeout http-keep-alive 60s
  timeout queue 10s
  timeout tunnel 1h
  timeout check 3s
  default-server init-addr none`;

// Fields that a client chooses come last: what is billed is in front of them.
const LOG_FORMAT = "log-format '%ST %B %U %Ta %ci %b %s %tsc %HM %ID %[var(txn.scheme)] %[var(txn.host),url_enc] %HPO'";

const section = (head: string, lines: readonly string[]) => [head, ...lines.map((line) => `  ${line}`)].join('\n');

/** The key of a request in the map: host and path, with a slash at the end so that only whole segments match. */
const frontend = ({ host, httpPort, httpsPort, functionDomain }: Places) =>
  section('frontend gateway', [
    `bind ${at(host, httpPort)}`,
    `bind ${at(host, httpsPort)} ssl crt ${FILES}/${DEFAULT_CERTIFICATE} crt-list ${FILES}/${CERTIFICATES} alpn h2,http/1.1`,
    // Otherwise a reload closes idle connections on which a client is just sending a request.
    'option idle-close-on-response',
    'unique-id-format %{+X}o%Ts%rt%pid%rc%ci%cp',
    'http-request set-var(txn.scheme) str(https) if { ssl_fc }',
    'http-request set-var(txn.scheme) str(http) unless { ssl_fc }',
    'http-request set-var(txn.host) req.hdr(host),host_only,lower,rtrim(.)',
    'http-request set-var(txn.path) path',
    `http-request set-var(txn.route) var(txn.host),concat(,txn.path,/),map_beg(${FILES}/${MAP})`,
    'http-request set-header X-Request-Id %[unique-id] unless { req.hdr(X-Request-Id) -m found }',
    'http-request set-header X-Forwarded-Proto %[var(txn.scheme)]',
    'http-request set-header X-Forwarded-Host %[req.hdr(host)]',
    'http-request del-header X-Forwarded-For',
    'option forwardfor',
    LOG_FORMAT,
    `use_backend platform if { path_beg ${CHALLENGES} }`,
    `use_backend functions if { var(txn.host) -m reg ^[a-z0-9-]+--fn[.][a-z0-9-]+[.]${functionDomain.replaceAll('.', '[.]')}$ }`,
    'use_backend %[var(txn.route)] if { var(txn.route) -m found }',
    'default_backend unknown',
  ]);

const at = (host: string, port: number) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);

const platform = ({ platform: { host, port } }: Places) =>
  section('backend platform', ['timeout server 30s', `server platform ${at(host, port)}`]);

// It waits for as long as a function may run.
const functions = section('backend functions', [
  'timeout server 310s',
  `server functions unix@/run/service/${URL_SOCKET}`,
]);

const unknown = section('backend unknown', [
  'http-request return status 404 content-type "text/plain; charset=utf-8" string "No route leads here."',
]);

function backend({ id, path_prefix, strip_prefix, request_timeout_s, sticky, is_suspended, backends }: ServedRoute) {
  const head = `backend ${backendName(id)}`;
  if (is_suspended)
    return section(head, [
      'http-request return status 503 content-type "text/plain; charset=utf-8" hdr Retry-After 300 string "This service is suspended."',
    ]);
  // Without the slash at its end.
  const length = path_prefix.length - 1;
  const stripped =
    strip_prefix && length > 0
      ? [
          // In this order: a path that has been cut is short, too.
          `http-request set-path / if { path_len le ${length} }`,
          `http-request set-path "%[path,bytes(${length})]" if { path_len gt ${length} }`,
          `http-request set-header X-Forwarded-Prefix ${path_prefix.slice(0, -1)}`,
        ]
      : [];
  return section(head, [
    'balance roundrobin',
    `timeout server ${request_timeout_s ?? RESPONSE_S}s`,
    ...stripped,
    ...(sticky ? ['cookie NEPHELE_ROUTE insert indirect nocache httponly'] : []),
    ...backends.flatMap((one) => server(one, sticky)),
  ]);
}

function server({ name, weight, target }: ServedBackend, sticky: boolean): string[] {
  if (target === null) return [];
  const place = target.kind === 'socket' ? `unix@${target.path}` : at(target.ip, target.port);
  const verify = target.kind === 'address' ? target.verify : null;
  const tls =
    verify === null
      ? ''
      : ` ssl verify required ca-file ${TRUSTED} sni str(${verify}) verifyhost ${verify} check-sni ${verify}`;
  const cookie = sticky ? ` cookie ${name}` : '';
  return [`server ${name} ${place} weight ${weight} check inter 2s fastinter 500ms fall 2 rise 1${tls}${cookie}`];
}

const mapLine = ({ id, host, path_prefix }: ServedRoute) => `${host}${path_prefix} ${backendName(id)}\n`;

/** A certificate is served only for the hosts whose routes name it. */
const certificateList = (routes: readonly ServedRoute[]) =>
  routes
    .flatMap(({ certificate_id, host }) =>
      certificate_id === null ? [] : [`${FILES}/${certificatePath(certificate_id)} [alpn h2,http/1.1] ${host}\n`],
    )
    .filter((line, index, lines) => lines.indexOf(line) === index)
    .join('');
