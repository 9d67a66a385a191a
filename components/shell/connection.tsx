'use client';

import { Unplug } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLiveState } from '@/lib/client/live-updates';

/** A stream that is back within this time was never missed. */
const PATIENCE_MS = 2500;

/** Says that the page may be old while the server is out of reach, and goes when it is back. */
export function ConnectionNotice() {
  const { lost } = useLiveState();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!lost) return setShown(false);
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-4 bottom-4 z-40 flex justify-center">
      {shown && (
        <p className="pointer-events-auto flex max-w-xl animate-in fade-in-0 slide-in-from-bottom-2 items-start gap-2.5 rounded-lg border border-caution/50 bg-caution-soft px-4 py-2.5 text-sm shadow-raised">
          <Unplug className="mt-0.5 size-4 shrink-0 text-caution-ink" aria-hidden="true" />
          <span>
            <span className="font-medium text-caution-ink">Connection lost.</span> This page may be out of date. It
            refreshes automatically when the connection is back.
          </span>
        </p>
      )}
    </div>
  );
}
