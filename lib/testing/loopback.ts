import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Starts a server on a free port of 127.0.0.1. @returns the port */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The body of a GET request over a Unix socket, or the error code if no answer comes. */
export function getOverSocket(socketPath: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve) => {
    const call = request({ socketPath, path, headers: { Connection: 'close', ...headers } });
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    call.on('response', async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve(body);
    });
    call.end();
  });
}

/** A port of 127.0.0.1 that nothing uses. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
