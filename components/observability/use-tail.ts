import { useEffect, useState } from 'react';
import { followEvents, type StreamState } from '@/lib/client/event-stream';
import { useProject } from '@/lib/client/project';
import { type LogRecord, recordsOf, without } from './log-records';
import { streamsOf } from './tail-event';

/** Older lines leave the view: a busy project would fill the browser's memory. */
const MOST_LINES = 2000;

export interface Tail {
  /** Oldest first. */
  records: readonly LogRecord[];
  state: StreamState;
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
    const address = `/api/v1/observability/logs/tail?${new URLSearchParams({ query })}`;
    setTail(nothing);
    void followEvents(
      {
        ask: (request) => send(new Request(address, { ...request, headers: { ...headers, ...request.headers } })),
        opened: () => setTail((now) => ({ ...now, state: 'open', error: undefined })),
        heard: ({ name, data }) => {
          const records = recordsOf(streamsOf(data), 'forward');
          setTail((now) => ({ ...now, gap: now.gap || name === 'gap', records: appended(now.records, records) }));
        },
        lost: (error) => setTail((now) => ({ ...now, state: 'lost', error })),
      },
      stop.signal,
    );
    return () => stop.abort();
  }, [query, send, headers]);
  return tail;
}

function appended(known: readonly LogRecord[], records: readonly LogRecord[]): readonly LogRecord[] {
  return [...known, ...without(records, known)].slice(-MOST_LINES);
}
