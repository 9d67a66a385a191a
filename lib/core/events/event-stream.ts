import { setMaxListeners } from 'node:events';
import { Gauge } from 'prom-client';
import { type Caller, callerKey } from '@/lib/core/api/caller';
import { type Call, Reply } from '@/lib/core/api/endpoint';
import { ApiError } from '@/lib/core/api/errors';
import { decide } from '@/lib/core/api/policy';
import { log } from '@/lib/log';
import { registry } from '@/lib/metrics';
import { authenticate } from '@/lib/people/identity/authenticate';
import { stoppingSignal } from '@/lib/stopping';

/** Proxies and browsers drop connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** A server starts to read at once; for a HEAD request it never does. */
const UNREAD_MS = 1000;

const open = new Map<string, number>();

// Hot reload loads this module again while the registry stays.
registry.removeSingleMetric('nephele_event_streams');
new Gauge({
  name: 'nephele_event_streams',
  help: 'Open event streams.',
  registers: [registry],
  collect() {
    this.set([...open.values()].reduce((sum, streams) => sum + streams, 0));
  },
});

/** Where the events of a stream come from. */
export type EventSource = {
  /** Called when the reader begins to read. `wake` says that events wait. */
  begin(wake: () => void): Promise<void>;
  /** The waiting events as text; empty if there are none. */
  take(): string | Promise<string>;
  /** Sent with every heartbeat, such as an id. */
  heartbeat?(): string;
  /** Called once, also where the stream never began. */
  end(): void;
};

export type StreamOptions = {
  /** Streams with the same key count towards the limit. */
  key: string;
  most: number;
  /** Says that the limit is reached. */
  refusal: (open: number) => string;
  /** Called at every heartbeat; the stream ends when it returns false. */
  stillAllowed: () => Promise<boolean>;
  signal: AbortSignal;
};

/**
 * A stream of server-sent events (WHATWG HTML, 9.2). It ends with the caller's access, with the connection, and when the
 * process stops.
 * @throws ApiError 429 when too many are open
 */
export function eventStream(options: StreamOptions, source: EventSource): ReadableStream<Uint8Array> {
  const { key, most, refusal, stillAllowed, signal } = options;
  const streams = open.get(key) ?? 0;
  if (streams >= most) {
    throw new ApiError('RATE_LIMITED', refusal(streams), { headers: { 'Retry-After': '15' } });
  }
  open.set(key, streams + 1);

  const bytes = new TextEncoder();
  const stopping = stoppingSignal();
  setMaxListeners(0, stopping);
  let ended = false;
  let begun = false;
  let beats = '';
  let isAwake = false;
  let awaken = () => {};
  const wake = () => {
    isAwake = true;
    awaken();
  };

  const end = () => {
    if (ended) return;
    ended = true;
    clearInterval(heartbeat);
    clearTimeout(unread);
    for (const cause of [signal, stopping]) cause.removeEventListener('abort', end);
    const others = (open.get(key) ?? 1) - 1;
    if (others > 0) open.set(key, others);
    else open.delete(key);
    source.end();
    wake();
  };
  const heartbeat = setInterval(async () => {
    const allowed = await stillAllowed().catch((error) => {
      log.debug({ err: error }, 'a stream’s caller could not be checked; trying again with the next heartbeat');
      return true;
    });
    if (!allowed) return end();
    beats = `: still here\n${source.heartbeat?.() ?? ''}\n\n`;
    wake();
  }, HEARTBEAT_MS);
  const unread = setTimeout(() => !begun && end(), UNREAD_MS);
  for (const cause of [signal, stopping]) {
    if (cause.aborted) end();
    cause.addEventListener('abort', end);
  }

  async function next(): Promise<string> {
    if (!begun) {
      begun = true;
      await source.begin(wake);
    }
    while (!ended) {
      isAwake = false;
      const text = `${beats}${await source.take()}`;
      beats = '';
      if (text !== '') return text;
      // What came while `take` was at work has been heard.
      if (isAwake) continue;
      await new Promise<void>((resolve) => {
        awaken = resolve;
      });
    }
    return '';
  }

  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const text = await next();
          if (ended) controller.close();
          else controller.enqueue(bytes.encode(text));
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

export function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The answer of an endpoint that streams events. */
export function eventReply(stream: ReadableStream<Uint8Array>): Reply<Response> {
  // Compression or caching on the way would delay events.
  const sent = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache, no-transform' };
  return new Reply(new Response(stream, { headers: { ...sent, 'X-Accel-Buffering': 'no' } }), { headers: sent });
}

/**
 * Checks whether the credential of a call still gives the same access.
 * @param accessOf what of the caller's access the stream depends on, as text
 */
export function accessCheck(
  { caller, endpoint }: Call,
  headers: Headers,
  accessOf: (caller: Caller) => string,
): () => Promise<boolean> {
  if (!caller) throw new Error(`${endpoint.operation_id} needs a caller`);
  const access = (of: Caller) => `${callerKey(of)} ${accessOf(of)}`;
  const granted = access(caller);
  return async () => {
    try {
      const found = await authenticate(headers, endpoint.realm);
      return found !== undefined && decide(found, endpoint.access).allowed && access(found) === granted;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  };
}
