import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { now } from '@/lib/clock';
import { socketAddressHeader } from '@/lib/core/api/client-address';
import { readEvents, type StreamEvent } from '@/lib/core/events/read-events';
import { endWhenSilent, refuseUpgrade, registerUpgrade } from '@/lib/core/net/upgrades';
import { log } from '@/lib/log';
import { stoppingSignal } from '@/lib/stopping';
import { nanoseconds } from './times';

/** Where Loki’s clients follow lines: `logcli query --tail`, and Grafana. */
export const LOKI_TAIL = '/api/v1/observability/loki/api/v1/tail';
const TAIL = '/api/v1/observability/logs/tail';

/** Headers that the API reads. No cookies: a browser would send them for any page that opens the connection. */
const HEADERS = ['authorization', 'x-project-id', 'x-request-id', 'x-forwarded-for', 'user-agent', socketAddressHeader];
/** Loki’s other parameters, such as `delay_for`, have no effect: lines are never late. */
const PARAMETERS = ['query', 'start', 'since', 'limit'];
/** Codes of RFC 6455, 7.4.1. */
const closed = { noAccess: 1008, failed: 1011 };

type Api = (request: Request) => Response | Promise<Response>;

// Clients send no messages of their own.
const server = new WebSocketServer({ noServer: true, maxPayload: 1024 });

/** Serves Loki’s WebSocket: the events of `GET /observability/logs/tail` as Loki’s messages. */
export function serveLokiTail(api: Api): void {
  registerUpgrade(LOKI_TAIL, (request, socket, head) => upgradeTail(api, request, socket, head));
}

/** The API checks caller, limits and query, and writes the access log; its refusals are sent as they are. */
async function upgradeTail(api: Api, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://here.invalid');
  if (pathname !== LOKI_TAIL) return refuseUpgrade(socket, 404);
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  const response = await api(requestOf(request, searchParams, gone.signal));
  const { body, ok, status } = response;
  if (!ok || !body) return refuseUpgrade(socket, status, await response.text());
  server.handleUpgrade(request, socket, head, (client) => {
    client.on('error', (error) => log.debug({ err: error }, 'a connection that follows log lines failed'));
    endWhenSilent(client);
    void follow(
      readEvents(body, () => {}),
      client,
    );
  });
}

function requestOf({ headers }: IncomingMessage, given: URLSearchParams, signal: AbortSignal): Request {
  const known = [...given].filter(([name]) => PARAMETERS.includes(name));
  const sent = HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  return new Request(`http://here.invalid${TAIL}?${new URLSearchParams(known)}`, { headers: sent, signal });
}

async function follow(events: AsyncIterable<StreamEvent>, client: WebSocket): Promise<void> {
  try {
    for await (const one of events) await send(client, messageOf(one));
    // Clients connect again after a connection that was cut, as when a process stops.
    if (stoppingSignal().aborted) client.terminate();
    else client.close(closed.noAccess, 'Access to the log lines has ended.');
  } catch (error) {
    log.warn({ err: error }, 'log lines could not be followed');
    client.close(closed.failed, 'The log lines could not be read.');
  }
}

/** Waits until the message is written: lines for a slow client wait, or are left out, where the events come from. */
async function send(client: WebSocket, message: string | undefined): Promise<void> {
  if (message !== undefined) await new Promise<void>((sent) => client.send(message, () => sent()));
}

const gap = z.object({ lines: z.number().nullable() });

/** Events of lines have the shape of Loki’s messages. Loki names each line that it drops; we know only how many they are. */
function messageOf({ name, data }: StreamEvent): string | undefined {
  if (name === 'lines') return data === '{"streams":[]}' ? undefined : data;
  const { lines } = gap.parse(JSON.parse(data));
  const timestamp = nanoseconds(now().getTime() * 1000);
  const labels = { dropped_lines: lines === null ? 'unknown' : String(lines) };
  return JSON.stringify({ streams: [], dropped_entries: [{ timestamp, labels }] });
}
