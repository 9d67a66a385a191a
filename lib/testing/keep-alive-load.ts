import { connect } from 'node:net';

/** What clients saw whose connections stay open. */
export type Seen = { answered: number; failures: string[]; connections: number; longest_ms: number };

/**
 * Sends requests one after another over connections that stay open, until it is told to stop. A connection that the server closes
 * after a response is opened again, as every client does; a response that is not 200, or none, is a failure.
 */
export function startLoad(port: number, hosts: readonly string[], pauseMs = 0): { stop(): Promise<Seen> } {
  const seen: Seen = { answered: 0, failures: [], connections: 0, longest_ms: 0 };
  let isOver = false;
  const callers = hosts.map(async (host) => {
    while (!isOver) await oneConnection(host);
  });

  function oneConnection(host: string): Promise<void> {
    return new Promise((resolve) => {
      const request = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      let text = '';
      let sentAt: number | undefined;
      seen.connections += 1;
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
      const send = () => {
        if (isOver) return socket.end();
        sentAt = performance.now();
        socket.write(request);
      };
      socket.on('connect', send);
      socket.on('error', (error) => seen.failures.push(error.message));
      socket.on('close', () => {
        if (sentAt !== undefined) seen.failures.push('closed without a response');
        resolve();
      });
      socket.on('data', (part: string) => {
        text += part;
        const end = text.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
        if (end < 0 || text.length < end + 4 + length) return;
        seen.longest_ms = Math.max(seen.longest_ms, performance.now() - (sentAt ?? 0));
        sentAt = undefined;
        if (text.startsWith('HTTP/1.1 200 ')) seen.answered += 1;
        else seen.failures.push(text.slice(0, 12));
        const isLast = /\r\nconnection: close/i.test(text.slice(0, end));
        text = '';
        if (isLast) socket.end();
        else if (pauseMs > 0) setTimeout(send, pauseMs);
        else send();
      });
    });
  }

  return {
    async stop() {
      isOver = true;
      await Promise.all(callers);
      return seen;
    },
  };
}
