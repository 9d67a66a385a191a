'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, use, useEffect, useRef, useState, useTransition } from 'react';
import { send } from './api';
import type { LiveMessage } from './live';
import { untilLoaded } from './until-loaded';

interface LiveState {
  /** The stream of changes is broken, so the data shown may be stale. */
  lost: boolean;
  /** The server runs another version than this page was loaded from. */
  outdated: boolean;
}

const LiveContext = createContext<LiveState>({ lost: false, outdated: false });

export function useLiveState(): LiveState {
  return use(LiveContext);
}

/** Longest wait for a new frame before data is refetched anyway. */
const FRAME_MS = 5000;

/** Hints come in bursts (a create affects the list, the quota, the audit log): refetch once per burst. */
const BURST_MS = 50;

interface LiveUpdatesProps {
  /** Tabs with the same name share one stream. */
  name: string;
  /** The URL of the stream. */
  address: string;
  headers: Record<string, string>;
  /** A change of this topic reloads the server-rendered frame of the pages. */
  frame?: string | undefined;
  children: ReactNode;
}

/** Keeps the pages below it up to date: refetches data that has changed. No polling. */
export function LiveUpdates({ name, address, headers, frame, children }: LiveUpdatesProps) {
  const store = useQueryClient();
  const router = useRouter();
  const [state, setState] = useState<LiveState>({ lost: false, outdated: false });
  const [redrawing, startRedraw] = useTransition();
  const onRedrawn = useRef<() => void>(undefined);
  useEffect(() => {
    if (!redrawing) onRedrawn.current?.();
  }, [redrawing]);

  useEffect(() => {
    const stop = new AbortController();
    const topics = new Set<string>();
    let flush: ReturnType<typeof setTimeout> | undefined;
    const loadedFrom = document.documentElement.dataset.version;

    let connected = false;
    let outdated = false;
    let awaitsFrame: ReturnType<typeof setTimeout> | undefined;
    const refetch = () => {
      flush = undefined;
      if (awaitsFrame !== undefined) return;
      const changed = new Set(topics);
      void untilLoaded(() => import('./topics')).then(({ invalidateTopics }) => invalidateTopics(store, changed));
      topics.clear();
    };
    const redrawn = () => {
      clearTimeout(awaitsFrame);
      awaitsFrame = undefined;
      if (topics.size > 0) flush ??= setTimeout(refetch, BURST_MS);
    };
    onRedrawn.current = redrawn;
    const redraw = () => {
      // A new version of the server would reload the whole page, and input with it.
      if (outdated) return;
      // The frame knows whether the project is suspended. Data is refetched after it: those reads would be refused.
      clearTimeout(awaitsFrame);
      awaitsFrame = setTimeout(redrawn, FRAME_MS);
      startRedraw(() => router.refresh());
    };

    const onMessage = (message: LiveMessage) => {
      if (message.kind === 'hint' && message.topic === frame) return redraw();
      if (message.kind === 'hint') {
        topics.add(message.topic);
        flush ??= setTimeout(refetch, BURST_MS);
        return;
      }
      if (message.kind === 'lost') {
        setState((before) => ({ ...before, lost: true }));
        return;
      }
      outdated ||= message.version !== undefined && message.version !== loadedFrom;
      setState({ lost: false, outdated });
      void store.invalidateQueries();
      // The server drew the page moments before its first connection.
      if (connected && frame !== undefined) redraw();
      connected = true;
    };

    // Loaded after the page, which does not wait for changes.
    void untilLoaded(() => import('./live')).then(({ followEvents }) => {
      if (stop.signal.aborted) return;
      followEvents({
        name,
        open: (signal) => send(new Request(address, { headers, signal })),
        onMessage,
        signal: stop.signal,
        // Browsers offer locks only in secure contexts: https, or http on localhost.
        exclusively: navigator.locks && ((lock, signal, work) => navigator.locks.request(lock, { signal }, work)),
      });
    });
    return () => {
      stop.abort();
      clearTimeout(flush);
      clearTimeout(awaitsFrame);
    };
  }, [name, address, headers, frame, store, router]);

  return <LiveContext value={state}>{children}</LiveContext>;
}
