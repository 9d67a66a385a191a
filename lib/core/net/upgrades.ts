import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Interval of pings; less than the minute after which proxies close silent connections. */
const PING_MS = 15_000;
/** A client that has not answered a ping for this long has gone away. */
const SILENT_MS = 60_000;

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

/** Answers with a status in place of the handshake, and closes the socket. @param text a body in JSON */
export function refuseUpgrade(socket: Duplex, status: number, text = ''): void {
  const type = text === '' ? [] : ['Content-Type: application/json'];
  const headers = ['Connection: close', `Content-Length: ${Buffer.byteLength(text)}`, ...type];
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, '', text].join('\r\n'));
}

/** Ends the connection of a client that went away without a word, such as a sleeping laptop's. */
export function endWhenSilent(client: WebSocket): void {
  let heardAt = performance.now();
  const heard = () => {
    heardAt = performance.now();
  };
  client.on('pong', heard);
  const pings = setInterval(() => {
    // Nobody listens to a connection that is paused.
    if (client.isPaused) heard();
    if (performance.now() - heardAt > SILENT_MS) client.terminate();
    else client.ping();
  }, PING_MS);
  client.once('close', () => clearInterval(pings));
}
