import { rmSync } from 'node:fs';
import {
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, isIPv4, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SERVICE_ADDRESS, SERVICE_NAME } from '@/lib/service-address';
import { checkedLookup, mayCallAddress, OutgoingError, type OutgoingPolicy } from './checked-fetch';

/**
 * A part of the platform: a port of the service address, its target, and the allowed path prefixes, which end in a
 * slash.
 */
export type PlatformListener = {
  port: number;
  to: { host: string; port: number };
  paths: readonly string[];
  /** Path and host name go on as the caller wrote them. Not for a listener that is open in part: `..` stays in the path. */
  asWritten?: boolean;
};

export type PlatformAccess = {
  listeners: readonly PlatformListener[];
  /** The loopback source address of calls, unique per owner. */
  from?: string;
};

export type EgressRules = {
  policy: OutgoingPolicy;
  /** External ports that may be called; if empty, only the platform can be reached. */
  ports: readonly number[];
  /** Restricts the hosts that may be called; default: the whole public internet. */
  allows?: (host: string, port: number) => boolean;
  /** Access to the platform at the service address, proxied or direct; its bytes are not counted. */
  platform?: PlatformAccess;
  /** The maximum of concurrent connections; further ones are refused. */
  mostConnections: number;
  /** A connection without traffic for this time is closed. */
  idleMs: number;
};

/** Bytes sent to and received from the outside since the proxy started. */
export type EgressCount = { sentBytes: number; receivedBytes: number };

export type EgressProxy = { count(): EgressCount; close(): Promise<void> };

/** Hop-by-hop headers, which a proxy must not forward (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * The only way out of a sandbox without a network: an HTTP proxy on a Unix socket that is mounted into it (CONNECT, and
 * absolute URLs for plain HTTP). Names are resolved once, and the connection goes to the address that was checked. A
 * refused call gets 403 with the reason in plain text.
 */
export async function startEgressProxy(socketPath: string, rules: EgressRules): Promise<EgressProxy> {
  const proxy = new SocketProxy(rules);
  rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    proxy.server.once('error', reject).listen(socketPath, resolve);
  });
  return proxy;
}

class SocketProxy implements EgressProxy {
  readonly server: Server;
  private readonly open = new Set<Duplex>();
  private sentBytes = 0;
  private receivedBytes = 0;

  constructor(private readonly rules: EgressRules) {
    // Uploads take their time; a connection without traffic ends.
    this.server = createServer({ requestTimeout: 0 }, (request, response) => this.forward(request, response));
    this.server.on('connect', (request, client, head) => this.tunnel(request, client, head));
    this.server.on('connection', (client) => {
      if (this.open.size >= rules.mostConnections) {
        client.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\r\n');
        return;
      }
      this.track(client);
    });
  }

  count(): EgressCount {
    return { sentBytes: this.sentBytes, receivedBytes: this.receivedBytes };
  }

  close(): Promise<void> {
    for (const stream of this.open) stream.destroy();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private tunnel(request: IncomingMessage, client: Duplex, head: Buffer): void {
    client.on('error', () => client.destroy());
    const target = targetOf(`http://${request.url ?? ''}`);
    const refusal = target ? this.refusalOf(target) : 'This is not a host and a port.';
    if (!target || refusal) {
      refuse(client, 403, refusal ?? '');
      return;
    }
    const upstream = this.dial(target);
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    upstream.on('error', (error) => {
      if (upstream.bytesWritten + upstream.bytesRead === 0) refuse(client, ...answerTo(error));
      else client.destroy();
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    const url = platformUrl(request);
    if (url && this.rules.platform) {
      this.forwardToPlatform(this.rules.platform, url, request, response);
      return;
    }
    const target = targetOf(request.url ?? '');
    const refusal = target ? this.refusalOf(target) : 'A proxy is asked for whole URLs, such as http://example.com/.';
    if (!target || refusal) {
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end(`${refusal}\n`);
      return;
    }
    const { host } = new URL(request.url ?? '');
    const upstream = httpRequest(request.url ?? '', {
      method: request.method,
      headers: { ...endToEnd(request.headers), host },
      createConnection: () => this.dial(target),
    });
    exchange(request, response, upstream);
  }

  private forwardToPlatform(
    { listeners, from }: PlatformAccess,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const listener = listeners.find(({ port }) => port === Number(url.port || 80));
    // The URL is parsed and normalised: its path has no `..` left.
    if (!listener?.paths.some((path) => url.pathname.startsWith(path))) {
      const open = listeners.flatMap(({ port, paths }) => paths.map((path) => `${hostAt(port)}${path}`)).join(', ');
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end(`Only ${open} can be called here.\n`);
      return;
    }
    // The platform is always called by its own name or address, whatever the caller wrote, so no other virtual host can
    // be reached.
    const host = listener.asWritten ? url.host : hostAt(listener.port);
    const headers = { ...withoutOrigin(endToEnd(request.headers)), host };
    const upstream = httpRequest({
      ...listener.to,
      ...(from !== undefined && isIPv4(listener.to.host) && { localAddress: from }),
      method: request.method,
      path: listener.asWritten ? writtenPath(request.url ?? '/') : url.pathname + url.search,
      headers,
    });
    exchange(request, response, upstream);
  }

  /** A connection to the outside; its bytes are counted however it ends. */
  private dial({ host, port }: Target): Socket {
    const upstream = connect({ host, port, lookup: checkedLookup(this.rules.policy) });
    this.track(upstream);
    let [written, read] = [0, 0];
    let connected = false;
    const count = () => {
      // Bytes queued for a connection that never opened were not sent.
      if (!connected) return;
      this.sentBytes += upstream.bytesWritten - written;
      this.receivedBytes += upstream.bytesRead - read;
      [written, read] = [upstream.bytesWritten, upstream.bytesRead];
    };
    const counting = setInterval(count, 1_000);
    upstream.once('connect', () => {
      connected = true;
    });
    upstream.on('close', () => {
      clearInterval(counting);
      count();
    });
    return upstream;
  }

  private refusalOf({ host, port }: Target): string | undefined {
    const { ports, allows, policy } = this.rules;
    if (ports.length === 0) return 'Only the platform can be called here.';
    if (!ports.includes(port)) return `Port ${port} is closed to the outside. Open: ${ports.join(', ')}.`;
    if (allows && !allows(host, port)) return `${host} may not be called from here.`;
    return mayCallAddress(host, policy) ? undefined : `${host} is not on the public internet.`;
  }

  private track(stream: Socket): void {
    this.open.add(stream);
    stream.setTimeout(this.rules.idleMs, () => stream.destroy());
    stream.on('error', () => stream.destroy());
    stream.on('close', () => this.open.delete(stream));
  }
}

const hostAt = (port: number) => (port === 80 ? SERVICE_NAME : `${SERVICE_NAME}:${port}`);

/** The platform URL that a request addresses, proxied or direct; undefined for any other request. */
function platformUrl({ url = '', headers }: IncomingMessage): URL | undefined {
  const text = url.startsWith('/') ? `http://${headers.host ?? ''}${url}` : url;
  if (!text.startsWith('http://') || !URL.canParse(text)) return undefined;
  const parsed = new URL(text);
  return [SERVICE_NAME, SERVICE_ADDRESS].includes(parsed.hostname) ? parsed : undefined;
}

/** The path and query of a request target, also of a whole URL. */
function writtenPath(target: string): string {
  const path = target.replace(/^http:\/\/[^/?#]*/, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Forwards a request and its response. */
function exchange(request: IncomingMessage, response: ServerResponse, upstream: ClientRequest): void {
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    answer.pipe(response);
  });
  upstream.on('error', (error) => {
    const [status, reason] = answerTo(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${reason}\n`);
  });
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}

/** Drops the headers by which trusted proxies report the caller: a service cannot act for others. */
function withoutOrigin(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(forwarded$|x-forwarded-|x-nephele-|x-real-ip$)/.test(name)),
  );
}

type Target = { host: string; port: number };

function targetOf(text: string): Target | undefined {
  if (!text.startsWith('http://') || !URL.canParse(text)) return undefined;
  const { hostname, port, username, password } = new URL(text);
  if (hostname === '' || username !== '' || password !== '') return undefined;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? 80 : Number(port) };
}

function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}

function answerTo(error: Error): [status: number, reason: string] {
  if (error instanceof OutgoingError) return [403, error.message];
  return [502, 'The host could not be reached.'];
}

function refuse(client: Duplex, status: number, reason: string): void {
  const title = status === 403 ? 'Forbidden' : 'Bad Gateway';
  const head = [`HTTP/1.1 ${status} ${title}`, 'Content-Type: text/plain', 'Connection: close'];
  client.end(`${head.join('\r\n')}\r\n\r\n${reason}\n`);
}
