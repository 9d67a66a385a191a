'use client';

import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice';

interface LoadedProps<Data> {
  /** One query, or several that are read as one. */
  query: { data: Data | undefined; error: unknown; refetch: () => unknown };
  /** What is being read, for the error: "The quota". */
  what: string;
  /** Its outline while it is on the way. */
  skeleton: ReactNode;
  children: (data: Data) => ReactNode;
}

/** The three states of something that is read, none of which a page can forget. Old data outlives a failed refresh. */
export function Loaded<Data>({ query, what, skeleton, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) {
    return (
      <ErrorNotice title={`${what} could not be loaded`} error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading</span>
      {skeleton}
    </div>
  );
}
