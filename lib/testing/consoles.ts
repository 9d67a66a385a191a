import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { findUpgrade } from '@/lib/core/net/upgrades';
import { exchangeTicket } from '@/lib/domains/compute/console';
import { serveConsoles } from '@/lib/domains/compute/console-upgrade';
import type { ConsoleKind } from '@/lib/domains/compute/engine';
import type { Answer } from './world';

/** A browser's connection to a console: open, or `refused` with a status. */
export type TestConsole = {
  socket: WebSocket;
  refused: number | undefined;
  /** The output so far, as text. */
  seen(): string;
  /** Settles with code and reason when the connection has ended. */
  closed: Promise<{ code: number; reason: string }>;
};

/** A console web server with one machine behind it; `machine` handles the machine's connections. */
export async function startConsoles(machine: (socket: Socket, kind: ConsoleKind) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'nephele-console-'));
  const sockets = { vnc: join(folder, 'vnc'), serial: join(folder, 'serial') };
  const machines = await Promise.all(
    (['vnc', 'serial'] as const).map(async (kind) => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        machine(socket, kind);
      }).listen(sockets[kind]);
      await once(server, 'listening');
      return server;
    }),
  );
  serveConsoles();
  const web = createHttpServer().listen(0, '127.0.0.1');
  web.on('upgrade', (request, socket, head) => findUpgrade(request.url ?? '')?.(request, socket, head));
  await once(web, 'listening');
  const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;

  async function connect(
    instanceId: string,
    kind: ConsoleKind,
    headers: Record<string, string>,
    protocols: string[] = [],
  ): Promise<TestConsole> {
    const url = `${origin.replace('http', 'ws')}/console/${instanceId}/${kind}`;
    const socket = new WebSocket(url, protocols, { headers });
    const lines: string[] = [];
    socket.on('message', (bytes) => lines.push(String(bytes)));
    const closed = new Promise<{ code: number; reason: string }>((resolve) =>
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
    );
    const refused = await new Promise<number | undefined>((resolve) => {
      socket.on('open', () => resolve(undefined));
      socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
      socket.on('error', () => {});
    });
    return { socket, refused, seen: () => lines.join(''), closed };
  }

  return {
    sockets,
    origin,
    connect,
    close() {
      web.close();
      for (const server of machines) server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The ticket in the answer of `GET /compute/instances/{id}/console`. */
export function ticketOf({ body, text }: Answer): string {
  const { url } = body as { url?: string };
  if (url === undefined) throw new Error(`no console: ${text}`);
  return new URL(url).searchParams.get('ticket') ?? '';
}

/** Exchanges a ticket for the `Cookie` header of the console session. */
export async function cookieOf(instanceId: string, ticket: string): Promise<string> {
  return ((await exchangeTicket(instanceId, ticket)) ?? '').split(';')[0] ?? '';
}
