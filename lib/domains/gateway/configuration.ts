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
  /** The number of the backend that it has of HAProxy's pool; null when it is sticky, with a backend of its own, or needs none. */
  pool: number | null;
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
export const ROUTES = 'routes.map';
export const PLACES = 'places.map';
const CERTIFICATES = 'certificates.list';
export const CONFIGURATION = 'haproxy.cfg';
export const STRUCTURE = 'structure';

export const backendName = (routeId: string) => `route-${routeId}`;
/** The route of a backend's name; undefined for the gateway's own. */
export const routeOf = (backend: string) => (backend.startsWith('route-') ? backend.slice('route-'.length) : undefined);
export const poolName = (pool: number) => `pool-${pool}`;
/** The number of a backend of the pool; undefined for others. */
export const poolOf = (backend: string) =>
  /^pool-\d+$/.test(backend) ? Number(backend.slice('pool-'.length)) : undefined;

/** HAProxy's servers in the pool have a mark of their target behind the backend's name. */
const MARK = ':';
export const backendOfServer = (server: string) => server.split(MARK, 1)[0] ?? server;

/** A server's backend and name. In the pool, another target is another server. */
export function serverPath(
  { id, pool }: Pick<ServedRoute, 'id' | 'pool'>,
  { name, target }: Pick<ServedBackend, 'name' | 'target'>,
): string {
  if (pool === null) return `${backendName(id)}/${name}`;
  const mark = createHash('sha256')
    .update(JSON.stringify([id, target]))
    .digest('hex');
  return `${poolName(pool)}/${name}${MARK}${mark.slice(0, 12)}`;
}

const CHALLENGES = '/.well-known/acme-challenge/';
const TRUSTED = '/etc/service/authorities.pem';
export const AUTHORITIES = 'authorities.pem';
/** Of backends without a `request_timeout_s`. */
export const RESPONSE_S = 60;
/** As many as the processors that the service may use: each reload takes as many again until old connections have ended. */
export const THREADS = 2;
/** How long connections last at the most when what they go to is not served any more. */
export const LAST_CONNECTION_MINUTES = 30;
const SUSPENDED = 'suspended';

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

/** The pool: its number of backends, and whether it has authorities to verify certificates with. */
export type Pool = { size: number; hasAuthorities: boolean };

/** The files of the gateway's HAProxy (2.6), without certificates. */
export function renderGateway(places: Places, pool: Pool, routes: readonly ServedRoute[]): Rendered[] {
  const structure = structureOf(places, pool, routes);
  return [
    { path: CONFIGURATION, content: configuration(structure, places, pool, routes), live: true },
    ...[...mapsOf(routes)].map(([path, entries]) => ({
      path,
      content: [...entries].map(([key, value]) => `${key} ${value}\n`).join(''),
      live: true,
    })),
    { path: CERTIFICATES, content: certificateList(routes), live: true },
    { path: STRUCTURE, content: structure, live: false },
  ];
}

/** The maps by which requests find their backends, by file: host and path to route, and route to place. */
export const mapsOf = (routes: readonly ServedRoute[]): ReadonlyMap<string, ReadonlyMap<string, string>> =>
  new Map([
    [PLACES, new Map(routes.map((route) => [backendName(route.id), placeOf(route)]))],
    [ROUTES, new Map(routes.map(({ id, host, path_prefix }) => [`${host}${path_prefix}`, backendName(id)]))],
  ]);

/** A route's backend, its time limit in milliseconds, and the number and text of the segments that are stripped. */
function placeOf({ id, pool, path_prefix, strip_prefix, request_timeout_s, is_suspended }: ServedRoute): string {
  const backend = is_suspended ? SUSPENDED : pool === null ? backendName(id) : poolName(pool);
  const segments = path_prefix.split('/').length - 2;
  const stripped = strip_prefix && segments > 0 ? [segments, path_prefix.slice(0, -1)] : ['', ''];
  return [backend, request_timeout_s === null ? '' : request_timeout_s * 1000, ...stripped].join('|');
}

/** The backend of an entry of the map of places. */
export const backendOfPlace = (place: string) => place.split('|', 1)[0] ?? '';

/** A digest of all that only a reload changes; everything else reaches a running process through its runtime API. */
function structureOf(places: Places, pool: Pool, routes: readonly ServedRoute[]): string {
  const withoutLive = routes
    .filter(({ sticky }) => sticky)
    .map((route) => ({
      ...route,
      backends: route.backends.map(({ name, target }) => ({
        name,
        weight: 1,
        target: target?.kind === 'address' ? { ...target, ip: '' } : target,
      })),
    }));
  const digest = createHash('sha256')
    .update(configuration('', places, pool, withoutLive))
    .digest('hex');
  return `${pool.size}-${digest}`;
}

/** The size of the pool that a process with this structure has; undefined for one of another release. */
export const poolSizeOf = (structure: string) => (/^\d+-/.test(structure) ? Number.parseInt(structure, 10) : undefined);

function configuration(structure: string, places: Places, pool: Pool, routes: readonly ServedRoute[]): string {
  const inPool = new Map(routes.map((route) => [route.pool, route]));
  const sections = [
    globalSection(structure),
    defaults,
    frontend(places),
    platform(places),
    functions,
    unknown,
    suspended,
    ...(pool.hasAuthorities ? [authorities] : []),
    ...routes.filter(({ sticky }) => sticky).map((route) => backend(backendName(route.id), route)),
    ...Array.from({ length: pool.size }, (_, number) => backend(poolName(number), inPool.get(number))),
  ];
  return `${sections.join('\n\n')}\n`;
}

// Whoever waits for a name or a connection is a person: backends that do not answer are left soon.
/** @param structure tells processes apart: during a reload, the last one may answer for a moment */
const globalSection = (structure: string) => `global
  description ${structure}
  log stdout len 8192 format raw local0
  stats socket /run/service/${ADMIN_SOCKET} mode 600 level admin expose-fd listeners
  stats timeout 1h
  maxconn 8000
  nbthread ${THREADS}
  hard-stop-after ${LAST_CONNECTION_MINUTES}m
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
  timeout server ${RESPONSE_S}s
  timeout http-request 15s
  timeout http-keep-alive 60s
  timeout queue 10s
  timeout tunnel 1h
  timeout check 3s
  default-server init-addr none`;

// Fields that a client chooses come last: what is billed is in front of them.
const LOG_FORMAT =
  "log-format '%ST %B %U %Ta %ci %[var(txn.route)] %s %tsc %HM %ID %[var(txn.scheme)] %[var(txn.host),url_enc] %HPO'";

const section = (head: string, lines: readonly string[]) => [head, ...lines.map((line) => `  ${line}`)].join('\n');

/** Numbers of segments: with some of them, any number of the segments of a prefix (500 characters) is stripped. */
const STRIPS = [1, 2, 4, 8, 16, 32, 64, 128];

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
    `http-request set-var(txn.place) str(platform) if { path_beg ${CHALLENGES} }`,
    `http-request set-var(txn.place) str(functions) if { var(txn.host) -m reg ^[a-z0-9-]+--fn[.][a-z0-9-]+[.]${functionDomain.replaceAll('.', '[.]')}$ }`,
    `http-request set-var(txn.route) var(txn.host),concat(,txn.path,/),map_beg(${FILES}/${ROUTES}) unless { var(txn.place) -m found }`,
    `http-request set-var(txn.place) var(txn.route),map(${FILES}/${PLACES}) if { var(txn.route) -m found }`,
    'http-request set-header X-Request-Id %[unique-id] unless { req.hdr(X-Request-Id) -m found }',
    'http-request set-header X-Forwarded-Proto %[var(txn.scheme)]',
    'http-request set-header X-Forwarded-Host %[req.hdr(host)]',
    'http-request del-header X-Forwarded-For',
    'option forwardfor',
    LOG_FORMAT,
    'http-request set-var(txn.timeout) var(txn.place),field(2,|) if { var(txn.place),field(2,|) -m len gt 0 }',
    'http-request set-var(txn.stripped) var(txn.place),field(3,|) if { var(txn.place),field(3,|) -m len gt 0 }',
    'http-request set-header X-Forwarded-Prefix %[var(txn.place),field(4,|)] if { var(txn.stripped) -m found }',
    ...STRIPS.map(
      (segments) =>
        `http-request set-path /%[path,field(${segments + 2},/,0)] if { var(txn.stripped) -m found } { var(txn.stripped),and(${segments}) -m int gt 0 }`,
    ),
    'use_backend %[var(txn.place),field(1,|)] if { var(txn.place) -m found }',
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

const suspended = section(`backend ${SUSPENDED}`, [
  'http-request return status 503 content-type "text/plain; charset=utf-8" hdr Retry-After 300 string "This service is suspended."',
]);

/** Servers that come while the process runs may name only authorities that it has read at its start. */
const authorities = section('backend authorities', [
  `server none 127.0.0.1:1 disabled ssl verify required ca-file ${TRUSTED}`,
]);

const backend = (name: string, route?: ServedRoute) =>
  section(`backend ${name}`, [
    'balance roundrobin',
    'http-request set-timeout server var(txn.timeout) if { var(txn.timeout) -m found }',
    ...(route?.sticky ? ['cookie NEPHELE_ROUTE insert indirect nocache httponly'] : []),
    ...(route?.backends.flatMap((one) => server(route, one)) ?? []),
  ]);

function server(route: ServedRoute, one: ServedBackend): string[] {
  const options = serverOptions(one);
  if (options === null) return [];
  const [, name] = serverPath(route, one).split('/');
  const cookie = route.sticky ? ` cookie ${one.name}` : '';
  return [`server ${name} ${options}${cookie}`];
}

/** Address, weight and checks of a server, as the configuration and the runtime API have them; null without a target. */
export function serverOptions({ weight, target }: ServedBackend): string | null {
  if (target === null) return null;
  const place = target.kind === 'socket' ? `unix@${target.path}` : at(target.ip, target.port);
  const verify = target.kind === 'address' ? target.verify : null;
  const tls =
    verify === null
      ? ''
      : ` ssl verify required ca-file ${TRUSTED} sni str(${verify}) verifyhost ${verify} check-ssl check-sni ${verify}`;
  return `${place} weight ${weight} check inter 2s fastinter 500ms fall 2 rise 1${tls}`;
}

/** A certificate is served only for the hosts whose routes name it. */
const certificateList = (routes: readonly ServedRoute[]) =>
  routes
    .flatMap(({ certificate_id, host }) =>
      certificate_id === null ? [] : [`${FILES}/${certificatePath(certificate_id)} [alpn h2,http/1.1] ${host}\n`],
    )
    .filter((line, index, lines) => lines.indexOf(line) === index)
    .join('');
