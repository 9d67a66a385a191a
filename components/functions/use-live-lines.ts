import { useEffect, useRef, useState } from 'react';
import { followEvents, type StreamState } from '@/lib/client/event-stream';
import { useProject } from '@/lib/client/project';
import { type LiveLine, lineOf, MOST_LINES, Unseen } from './live-lines';

export interface LiveLines {
  /** Oldest first. */
  lines: readonly LiveLine[];
  state: StreamState;
  /** Lines were left out, because they came faster than this browser reads. */
  gap: boolean;
  error: unknown;
}

const nothing: LiveLines = { lines: [], state: 'connecting', gap: false, error: undefined };

/**
 * The log of a function as it is written, starting with the newest hundred lines. A hidden page closes its connection, because
 * a browser has few, and catches up when it is visible again.
 */
export function useLiveLines(functionId: string): LiveLines {
  const { send, headers } = useProject();
  const [live, setLive] = useState(nothing);
  const isVisible = usePageVisible();
  const lines = useRef<LiveLine[]>([]);
  useEffect(() => {
    if (!isVisible) return;
    const stop = new AbortController();
    const change = (next: Partial<LiveLines>) => setLive((now) => ({ ...now, ...next }));
    let unseen = new Unseen([]);
    let frame: number | undefined;
    // Lines come by the hundred; one frame shows them all.
    const show = () => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        change({ lines: [...lines.current] });
      });
    };
    void followEvents(
      {
        ask: ({ headers: own, signal }) =>
          send(new Request(`/api/v1/functions/${functionId}/logs`, { headers: { ...headers, ...own }, signal })),
        opened: () => {
          unseen = new Unseen(lines.current);
          change({ state: 'open', error: undefined });
        },
        heard: ({ name, data }) => {
          if (name === 'gap') change({ gap: true });
          const line = name === 'line' ? lineOf(data) : undefined;
          if (!line || !unseen.isNew(line)) return;
          lines.current.push(line);
          lines.current.splice(0, lines.current.length - MOST_LINES);
          show();
        },
        lost: (error) => change({ state: 'lost', error }),
      },
      stop.signal,
    );
    return () => {
      stop.abort();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [functionId, isVisible, send, headers]);
  return live;
}

function usePageVisible(): boolean {
  const [isVisible, setVisible] = useState(() => !document.hidden);
  useEffect(() => {
    const look = () => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isVisible;
}
