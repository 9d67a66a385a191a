import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Takes over a connection that requests a WebSocket: completes the handshake, or refuses and closes the socket. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void | Promise<void>;

const handlers = new Map<string, UpgradeHandler>();

/** Handles the WebSockets of all paths with this prefix. */
export function registerUpgrade(pathPrefix: string, handler: UpgradeHandler): void {
  if (handlers.has(pathPrefix)) throw new Error(`WebSockets of ${pathPrefix} already have a handler`);
  handlers.set(pathPrefix, handler);
}

/** The handler of a path; the longest prefix wins. */
export function findUpgrade(path: string): UpgradeHandler | undefined {
  const [longest] = [...handlers.keys()]
    .filter((prefix) => path.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : handlers.get(longest);
}
