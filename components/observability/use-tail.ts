import { useEffect, useState } from 'react';
import { useProject } from '@/lib/client/project';
import { defaultBackoff, pause, watchdog } from '@/lib/client/stream-patience';
import { readEvents } from '@/lib/core/events/read-events';
import { type LogRecord, recordsOf, without } from './log-records';
import { streamsOf } from './tail-event';

/** Older lines leave the view: a busy project would fill the browser's memory. */
const MOST_LINES = 2000;
/** Three heartbeats of the server. */
const SILENCE_MS = 45_000;

export interface Tail {
  /** Oldest first. */
  records: readonly LogRecord[];
  state: 'connecting' | 'open' | 'lost';
  /** Lines were left out, because there were too many or the connection was lost for too long. */
  gap: boolean;
  error: unknown;
}

const nothing: Tail = { records: [], state: 'connecting', gap: false, error: undefined };

/** New lines of a query, as they are written. */
export function useTail(query: string): Tail {
  const { send, headers } = useProject();
  const [tail, setTail] = useState(nothing);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const change = (next: (now: Tail) => Tail) => signal.aborted || setTail(next);
    const address = `/api/v1/observability/logs/tail?${new URLSearchParams({ query })}`;
    let lastId: string | undefined;
    const follow = async (opened: () => void) => {
      const silence = watchdog(SILENCE_MS);
      try {
        const { body } = await send(
          new Request(address, {
            headers: { ...headers, ...(lastId !== undefined && { 'Last-Event-ID': lastId }) },
            signal: AbortSignal.any([signal, silence.signal]),
          }),
        );
        if (!body) throw new Error('The stream has no body.');
        opened();
        change((now) => ({ ...now, state: 'open', error: undefined }));
        for await (const { name, data, id } of readEvents(body, silence.reset)) {
          lastId = id ?? lastId;
          const records = recordsOf(streamsOf(data), 'forward');
          change((now) => ({ ...now, gap: now.gap || name === 'gap', records: appended(now.records, records) }));
        }
        change((now) => ({ ...now, state: 'lost' }));
      } catch (error) {
        change((now) => ({ ...now, state: 'lost', error }));
      } finally {
        silence.stop();
      }
    };
    const repeat = async () => {
      for (let failures = 0; !signal.aborted; failures += 1) {
        await follow(() => {
          failures = 0;
        });
        await pause(defaultBackoff(failures), signal);
      }
    };
    setTail(nothing);
    void repeat();
    return () => stop.abort();
  }, [query, send, headers]);
  return tail;
}

function appended(known: readonly LogRecord[], records: readonly LogRecord[]): readonly LogRecord[] {
  return [...known, ...without(records, known)].slice(-MOST_LINES);
}
