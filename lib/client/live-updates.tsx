'use client';

import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { projectHeader, send } from './api';
import { followEvents, type LiveMessage } from './live';
import { invalidateTopics } from './query';

interface LiveState {
  /** The stream of changes is broken: what is shown may be old. */
  lost: boolean;
  /** The server runs another version than the one this page was loaded from. */
  outdated: boolean;
}

const LiveContext = createContext<LiveState>({ lost: false, outdated: false });

export function useLiveState(): LiveState {
  return use(LiveContext);
}

/** Hints come in bursts (a create touches the list, the quota, the audit log): read once per burst. */
const BURST_MS = 50;

/** Keeps the pages below it up to date: a change anywhere in the project is read again where it shows. No polling. */
export function LiveUpdates({ projectId, children }: { projectId: string; children: ReactNode }) {
  const store = useQueryClient();
  const [state, setState] = useState<LiveState>({ lost: false, outdated: false });

  useEffect(() => {
    const stop = new AbortController();
    const topics = new Set<string>();
    let flush: ReturnType<typeof setTimeout> | undefined;
    let loadedFrom: string | undefined;

    const onMessage = (message: LiveMessage) => {
      if (message.kind === 'hint') {
        topics.add(message.topic);
        flush ??= setTimeout(() => {
          flush = undefined;
          void invalidateTopics(store, new Set(topics));
          topics.clear();
        }, BURST_MS);
        return;
      }
      if (message.kind === 'lost') {
        setState((before) => ({ ...before, lost: true }));
        return;
      }
      loadedFrom ??= message.version;
      const outdated = message.version !== loadedFrom;
      setState((before) => ({ lost: false, outdated: before.outdated || outdated }));
      void store.invalidateQueries();
    };

    followEvents({
      projectId,
      open: (signal) => send(new Request('/api/v1/events', { headers: projectHeader(projectId), signal })),
      onMessage,
      signal: stop.signal,
      // Browsers have locks in secure contexts only: https, or http on this very machine.
      exclusively: navigator.locks && ((name, signal, work) => navigator.locks.request(name, { signal }, work)),
    });
    return () => {
      stop.abort();
      clearTimeout(flush);
    };
  }, [projectId, store]);

  return <LiveContext value={state}>{children}</LiveContext>;
}
