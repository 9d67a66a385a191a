'use client';

import { Unplug } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLiveState } from '@/lib/client/live-updates';
import { openedLink, useOpenPage } from './open-page';

/** An interruption up to this long is not shown: the stream reconnects after each restart of the server. */
const PATIENCE_MS = 2500;

/**
 * Warns that the page may be out of date while the server is out of reach. Links do not open meanwhile: they would lead
 * to the error page of the browser.
 */
export function ConnectionNotice() {
  const { lost } = useLiveState();
  const [shown, setShown] = useState(false);
  const openPage = useOpenPage();
  useEffect(() => {
    if (!lost) return setShown(false);
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);

  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = openedLink(event);
      if (!link || !(lost || !navigator.onLine)) return;
      event.preventDefault();
      // The server may answer although the stream of changes is broken.
      void isReachable().then((reachable) => {
        if (reachable) openPage(link.pathname + link.search + link.hash);
        else setShown(true);
      });
    };
    const onOnline = () => !lost && setShown(false);
    window.addEventListener('click', onClick, true);
    window.addEventListener('online', onOnline);
    return () => {
      window.removeEventListener('click', onClick, true);
      window.removeEventListener('online', onOnline);
    };
  }, [lost, openPage]);
  return (
    <div
      role="status"
      aria-label="Connection"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-40 flex justify-center"
    >
      {shown && (
        <p className="pointer-events-auto flex max-w-xl animate-in fade-in-0 slide-in-from-bottom-2 items-start gap-2.5 rounded-lg border border-caution/50 bg-caution-soft px-4 py-2.5 text-sm shadow-raised">
          <Unplug className="mt-0.5 size-4 shrink-0 text-caution-ink" aria-hidden="true" />
          <span>
            <span className="font-medium text-caution-ink">Connection lost.</span> This page may be out of date, and
            links do not open. Both recover automatically when the connection is back.
          </span>
        </p>
      )}
    </div>
  );
}

function isReachable(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}
