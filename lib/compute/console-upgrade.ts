import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { log } from '@/lib/log';
import { registerUpgrade } from '@/lib/net/upgrades';
import { settings } from '@/lib/settings';
import { CONSOLE_PATH, consoleAccess } from './console';
import { bridgeScreen, bridgeTerminal, closed } from './console-bridge';

/** How often an open console's right is looked at again. */
const LOOK_AGAIN_MS = 15_000;
/** What a browser may send at once: a paste into a terminal, a clipboard to the screen. */
const MESSAGE_BYTES = 1024 * 1024;

const server = new WebSocketServer({
  noServer: true,
  maxPayload: MESSAGE_BYTES,
  // Screens ask for the protocol `binary`; browsers refuse an answer that they did not ask for.
  handleProtocols: (offered) => (offered.has('binary') ? 'binary' : false),
});

/** Serves `/console/{id}/vnc` and `/console/{id}/serial` as WebSockets, to whom the console's cookie lets in. */
export function serveConsoles(): void {
  registerUpgrade(CONSOLE_PATH, upgradeConsole);
}

async function upgradeConsole(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const { pathname } = new URL(request.url ?? '', 'http://here.invalid');
  const [, instanceId = '', kind] = /^\/console\/([^/]+)\/(vnc|serial)$/.exec(pathname) ?? [];
  if (kind !== 'vnc' && kind !== 'serial') return refuse(socket, '404 Not Found');
  if (!isSameOrigin(request)) return refuse(socket, '403 Forbidden');
  const cookies = request.headers.cookie ?? null;
  const access = await consoleAccess(instanceId, cookies);
  if (!access) return refuse(socket, '403 Forbidden');
  const browser = await new Promise<WebSocket>((resolve) => {
    server.handleUpgrade(request, socket, head, resolve);
  });
  browser.on('error', (error) => log.debug({ err: error, instance: instanceId }, 'a console connection failed'));
  if (access.host_id !== settings().hostId) {
    return browser.close(closed.elsewhere, `The instance lives on host ${access.host_id}.`);
  }
  closeWhenAccessEnds(browser, instanceId, cookies);
  await (kind === 'vnc' ? bridgeScreen : bridgeTerminal)(instanceId, browser);
}

/** A cookie is sent whichever page opens the connection, so the page must be ours. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  if (!origin || !URL.canParse(origin)) return false;
  return new URL(origin).host === host || origin === new URL(settings().baseUrl).origin;
}

function closeWhenAccessEnds(browser: WebSocket, instanceId: string, cookies: string | null): void {
  const timer = setInterval(async () => {
    const access = await consoleAccess(instanceId, cookies).catch(() => 'unknown');
    if (access === undefined) browser.close(closed.accessEnded, 'The right to this console has ended.');
  }, LOOK_AGAIN_MS);
  browser.once('close', () => clearInterval(timer));
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
