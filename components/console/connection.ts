/** How a console's connection stands; once it is closed, why. */
export type ConnectionState = { is: 'connecting' } | { is: 'open' } | { is: 'closed'; why: string };

/** The server's close codes in words (see `closed` in lib/domains/compute/console-bridge.ts). */
const reasons: Record<number, string> = {
  4000: 'The instance was stopped or restarted. Reconnect when it is active.',
  4001: 'Your access to this console has ended. Open it again from the instance’s page.',
  4002: 'The instance runs on another host. Open the console at that host’s address.',
  4003: 'The connection was too slow. Reconnect to continue.',
  4004: 'The instance stopped reading its input; it may be paused or busy. Reconnect when it responds.',
  4005: 'Too many consoles are open, of this instance or by you. Close one, then reconnect.',
};

/** Why a connection ended, in words. */
export function reasonOf(code: number): string {
  return reasons[code] ?? 'The connection was lost. Reconnect, or open the console again from the instance’s page.';
}

/** A WebSocket to one part of an instance's console; its cookie is what lets it in. */
export function connect(instanceId: string, part: 'vnc' | 'serial', tell: (state: ConnectionState) => void): WebSocket {
  const address = new URL(`/console/${instanceId}/${part}`, window.location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  tell({ is: 'connecting' });
  socket.addEventListener('open', () => tell({ is: 'open' }));
  socket.addEventListener('close', ({ code }) => tell({ is: 'closed', why: reasonOf(code) }));
  return socket;
}
