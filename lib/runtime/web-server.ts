import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { socketAddressHeader } from '@/lib/api/client-address';
import { type ApiError, invalid } from '@/lib/api/errors';
import { log } from '@/lib/log';

/** Who answers a request, and who takes over a connection that asks for a WebSocket. */
export type Surface = {
  request(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
};

/** The answer to what HTTP itself cannot read. */
export const malformed = invalid('The request is malformed: check its address and its headers.');

const finishMs = 30_000;

/**
 * Listens, and hands every request to `surface`.
 * @returns how to stop: new connections are refused, what is being answered is finished within 30 s
 */
export async function listen(surface: Surface, address: { host: string; port: number }): Promise<() => Promise<void>> {
  const upgraded = new Set<Duplex>();
  // Uploads of images may take their time; headers may not.
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 60_000, requestTimeout: 6 * 3_600_000 });
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    nameSocketAddress(request);
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
    try {
      await surface.upgrade(request, socket, head);
    } catch (error) {
      log.error({ err: error }, 'a WebSocket failed');
      socket.destroy();
    }
  });
  server.on('clientError', (_error, socket: Duplex) => {
    if (!socket.writable) return;
    const body = JSON.stringify(malformed.body(new Date()));
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return () => finish(server, upgraded);
}

/** Answers in the error record. */
export function refuse(response: ServerResponse, error: ApiError): void {
  response.writeHead(error.status, { ...error.headers, 'Content-Type': 'application/json' });
  response.end(JSON.stringify(error.body(new Date())));
}

/** In both forms that Node keeps of a request's headers: Hono reads the raw ones. */
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
  // A kept-alive connection becomes idle after its answer, and nothing else would end it soon.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const limit = setTimeout(() => server.closeAllConnections(), finishMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}
