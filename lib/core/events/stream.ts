import { setMaxListeners } from 'node:events';
import { Gauge } from 'prom-client';
import { ApiError } from '@/lib/core/api/errors';
import { log } from '@/lib/log';
import { registry } from '@/lib/metrics';
import { stoppingSignal } from '@/lib/stopping';
import type { News } from './feed';
import { type Audience, hub } from './hub';
import { servedVersion } from './version';

/** Proxies and browsers drop connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** A server starts to read at once; for a HEAD request it never does. */
const UNREAD_MS = 1000;
const MOST_WAITING = 500;
/** A portal needs one stream per browser. */
const MOST_PER_CALLER = 16;

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

export type StreamOptions = {
  audiences: readonly Audience[];
  /** Identifies the caller for the limit on streams. */
  caller: string;
  /** Called at every heartbeat; the stream ends when it returns false. */
  stillAllowed: () => Promise<boolean>;
  signal: AbortSignal;
  heartbeat_ms?: number;
};

/**
 * A stream of server-sent events (WHATWG HTML, 9.2): `resync` at the start and whenever hints were lost, then a `hint`
 * for each change. A slow reader gets equal hints only once.
 * @throws ApiError 429 when the caller has too many open streams
 */
export function streamEvents(options: StreamOptions): ReadableStream<Uint8Array> {
  const { audiences, caller, stillAllowed, signal, heartbeat_ms = HEARTBEAT_MS } = options;
  const streams = open.get(caller) ?? 0;
  if (streams >= MOST_PER_CALLER) {
    throw new ApiError('RATE_LIMITED', `You have ${streams} open event streams; close one first.`, {
      headers: { 'Retry-After': '15' },
    });
  }
  open.set(caller, streams + 1);

  const bytes = new TextEncoder();
  const resync = event('resync', { version: servedVersion() });
  const waiting = new Set([resync]);
  const stopping = stoppingSignal();
  setMaxListeners(0, stopping);
  let ended = false;
  let begun = false;
  let wake = () => {};
  let leave = () => {};

  const say = (text: string) => {
    if (waiting.size >= MOST_WAITING) {
      waiting.clear();
      waiting.add(resync);
    } else waiting.add(text);
    wake();
  };
  const hear = ({ hints, missed }: News) => {
    if (missed) say(resync);
    for (const { topic, resource_id } of hints) say(event('hint', { topic, resource_id }));
  };
  const end = () => {
    if (ended) return;
    ended = true;
    clearInterval(heartbeat);
    clearTimeout(unread);
    for (const cause of [signal, stopping]) cause.removeEventListener('abort', end);
    leave();
    const others = (open.get(caller) ?? 1) - 1;
    if (others > 0) open.set(caller, others);
    else open.delete(caller);
    wake();
  };
  const begin = async () => {
    begun = true;
    try {
      leave = await hub.listen(audiences, hear);
    } catch (error) {
      end();
      throw error;
    }
    if (ended) leave();
  };
  const heartbeat = setInterval(async () => {
    const allowed = await stillAllowed().catch((error) => {
      log.debug({ err: error }, 'a stream’s caller could not be checked; trying again with the next heartbeat');
      return true;
    });
    if (allowed) say(': still here\n\n');
    else end();
  }, heartbeat_ms);
  const unread = setTimeout(() => !begun && end(), UNREAD_MS);
  for (const cause of [signal, stopping]) {
    if (cause.aborted) end();
    cause.addEventListener('abort', end);
  }

  return new ReadableStream(
    {
      async pull(controller) {
        if (!begun) await begin();
        while (waiting.size === 0 && !ended) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (ended) return controller.close();
        controller.enqueue(bytes.encode([...waiting].join('')));
        waiting.clear();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
