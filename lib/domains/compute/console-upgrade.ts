import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { now } from '@/lib/clock';
import { endWhenSilent, refuseUpgrade, registerUpgrade } from '@/lib/core/net/upgrades';
import { engineOf, hasEngineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';
import { CONSOLE_PATH, type ConsoleAccess, consoleAccess } from './console';
import { bridgeScreen, bridgeTerminal, closed, endConsole } from './console-bridge';
import { takePlace } from './console-places';

/** How often the access of an open console is checked again. */
const CHECK_MS = 15_000;
/** A console whose access could not be checked for this long is closed: nobody knows whether it still holds. */
const UNCHECKED_MS = 60_000;
/** Longest message of a browser; longer pastes come in several. */
const MESSAGE_BYTES = 64 * 1024;

const server = new WebSocketServer({
  noServer: true,
  maxPayload: MESSAGE_BYTES,
  // Screens ask for the protocol `binary`; browsers refuse an answer that they did not ask for.
  handleProtocols: (offered) => (offered.has('binary') ? 'binary' : false),
});

/** Serves `/console/{id}/vnc` and `/console/{id}/serial` as WebSockets, authorized by the console's cookie. */
export function serveConsoles(): void {
  registerUpgrade(CONSOLE_PATH, upgradeConsole);
}

async function upgradeConsole(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const { pathname } = new URL(request.url ?? '', 'http://here.invalid');
  const [, instanceId = '', kind] = /^\/console\/([^/]+)\/(vnc|serial)$/.exec(pathname) ?? [];
  if (kind !== 'vnc' && kind !== 'serial') return refuseUpgrade(socket, 404);
  if (!isSameOrigin(request)) return refuseUpgrade(socket, 403);
  const cookies = request.headers.cookie ?? null;
  const access = await consoleAccess(instanceId, cookies);
  if (!access) return refuseUpgrade(socket, 403);
  const browser = await new Promise<WebSocket>((resolve) => {
    server.handleUpgrade(request, socket, head, resolve);
  });
  browser.on('error', (error) => log.debug({ err: error, instance: instanceId }, 'a console connection failed'));
  if (!hasEngineOf(access.cell_id)) {
    return endConsole(browser, closed.elsewhere, `The instance is on host ${access.cell_id}.`);
  }
  const place = takePlace(kind, access);
  if ('refusal' in place) return endConsole(browser, closed.tooMany, place.refusal);
  browser.once('close', place.release);
  // What is typed before the machine is reached waits.
  browser.pause();
  closeWhenAccessEnds(browser, access, cookies);
  endWhenSilent(browser);
  const { compute } = engineOf(access.cell_id);
  await (kind === 'vnc' ? bridgeScreen : bridgeTerminal)(compute, instanceId, browser);
}

/** A cookie is sent whichever page opens the connection, so the page must be ours. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  if (!origin || !URL.canParse(origin)) return false;
  return new URL(origin).host === host || origin === new URL(settings().baseUrl).origin;
}

/** Closes the console at its expiry, and soon after its credential, role or project ends. */
function closeWhenAccessEnds(
  browser: WebSocket,
  { instance_id, expires_at }: ConsoleAccess,
  cookies: string | null,
): void {
  const close = () => endConsole(browser, closed.accessEnded, 'Access to this console has ended.');
  let checkedAt = performance.now();
  const check = async () => {
    if (performance.now() - checkedAt > UNCHECKED_MS) return close();
    const access = await consoleAccess(instance_id, cookies).catch((error) => {
      log.debug({ err: error, instance: instance_id }, 'checking access to a console failed');
      return 'unknown';
    });
    if (access === undefined) close();
    else if (access !== 'unknown') checkedAt = performance.now();
  };
  const checks = setInterval(check, CHECK_MS);
  const expiry = setTimeout(close, expires_at.getTime() - now().getTime());
  browser.once('close', () => {
    clearInterval(checks);
    clearTimeout(expiry);
  });
}
