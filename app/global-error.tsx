'use client';

import { useEffect } from 'react';
import './globals.css';

/**
 * Takes the place of the whole document when the root layout or the root error page itself fails. Every page loads it, and
 * whatever it used could be what failed: so it uses nothing.
 */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  useEffect(() => console.error(error), [error]);
  return (
    <html lang="en">
      <body>
        <title>Something went wrong · Nephele</title>
        <main role="alert" className="mx-auto max-w-sm px-4 pt-16">
          <h1 className="font-semibold text-xl">This page could not be displayed</h1>
          <p className="mt-1.5 text-ink-muted text-sm">Your data is safe. Only displaying it failed.</p>
          <button type="button" className="mt-5 rounded-md border px-3 py-1.5 text-sm" onClick={retry}>
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
