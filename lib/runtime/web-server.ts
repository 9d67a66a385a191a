import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientAddress, socketAddressHeader } from '@/lib/core/api/client-address';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { log } from '@/lib/log';
import { type BodyLimit, limitBody } from './body-limit';
import type { ConnectionLimit } from './connection-limit';

/** Handlers of requests, and of connections that ask for a WebSocket. */
export type Surface = {
  request(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
};

/** Limits per client. */
export type ServerLimits = {
  body: BodyLimit;
  connections: ConnectionLimit;
  /** Proxies whose X-Forwarded-For is trusted; their clients are counted by current requests. */
  trustedProxies: readonly string[];
};

/** The answer to malformed HTTP. */
export const malformed = invalid('The request is malformed. Check its URL and headers.');

const tooManyConnections = new ApiError(
  'RATE_LIMITED',
  'Too many open connections from your address. Close some and try again.',
  { headers: { 'Retry-After': '5' } },
);

const finishMs = 30_000;
/** Time limit of a whole request, including uploads; other bodies have the shorter limit of `limitBody`. */
const uploadMs = 6 * 3_600_000;

/**
 * Listens and passes every request to `surface`.
 * @returns a function that stops: new connections are refused, current requests may finish within 30 s
 */
export async function listen(
  surface: Surface,
  address: { host: string; port: number },
  limits: ServerLimits,
): Promise<() => Promise<void>> {
  const upgraded = new Set<Duplex>();
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 30_000, requestTimeout: uploadMs });
  server.on('connection', (socket: Socket) => {
    const release = limits.connections.take(socket.remoteAddress ?? '');
    if (release) socket.once('close', release);
    else end(socket, tooManyConnections);
  });
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    nameSocketAddress(request);
    const release = takeForwarded(request, limits);
    if (!release) return refuse(response, tooManyConnections, { Connection: 'close' });
    response.once('close', release);
    limitBody(request, response, limits.body, () => {
      if (response.headersSent) request.socket.destroy();
      else end(request.socket, late(limits.body.ms));
    });
    try {
      await surface.request(request, response);
    } catch (error) {
      log.error({ err: error }, 'a request failed outside the application');
      response.destroy();
    }
  });
  server.on('upgrade', async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    socket.on('error', () => socket.destroy());
    nameSocketAddress(request);
    const release = takeForwarded(request, limits);
    if (!release) return end(socket, tooManyConnections);
    socket.once('close', release);
    try {
      await surface.upgrade(request, socket, head);
    } catch (error) {
      log.error({ err: error }, 'a WebSocket failed');
      socket.destroy();
    }
  });
  server.on('clientError', (_error, socket: Duplex) => {
    if (socket.writable) end(socket, malformed);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return () => finish(server, upgraded);
}

/** Answers with an error record. */
export function refuse(response: ServerResponse, error: ApiError, headers: Record<string, string> = {}): void {
  response.writeHead(error.status, { ...error.headers, ...headers, 'Content-Type': 'application/json' });
  response.end(JSON.stringify(error.body(new Date())));
}

/** Answers with an error record when nobody else can answer any more, and closes the connection. */
function end(socket: Duplex, error: ApiError): void {
  const body = JSON.stringify(error.body(new Date()));
  const headers = {
    ...error.headers,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`;
  socket.on('error', () => socket.destroy());
  socket.end(`${[status, ...lines].join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

const late = (ms: number) => invalid(`The body did not arrive within ${Math.ceil(ms / 1000)} s.`);

/** Takes a place for the client behind a trusted proxy; direct clients are counted by connection. */
function takeForwarded(
  { headers, socket }: IncomingMessage,
  { connections, trustedProxies }: ServerLimits,
): (() => void) | undefined {
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined || trustedProxies.length === 0) return () => {};
  const own = socket.remoteAddress ?? '';
  const client = clientAddress(own, String(forwarded), trustedProxies);
  return client === clientAddress(own, null, []) ? () => {} : connections.take(client);
}

/** Sets both of Node's forms of request headers, because Hono reads the raw ones. */
function nameSocketAddress(request: IncomingMessage): void {
  const address = request.socket.remoteAddress ?? '';
  const { rawHeaders } = request;
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (rawHeaders[i]?.toLowerCase() === socketAddressHeader) rawHeaders.splice(i, 2);
  }
  rawHeaders.push(socketAddressHeader, address);
  request.headers[socketAddressHeader] = address;
}

async function finish(server: Server, upgraded: Set<Duplex>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of upgraded) socket.destroy();
  // A kept-alive connection becomes idle after its answer, and nothing else would close it soon.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const limit = setTimeout(() => server.closeAllConnections(), finishMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}
