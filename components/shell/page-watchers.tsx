'use client';

import { ConnectionNotice } from './connection';
import { GentleReload } from './gentle-reload';
import { LeaveGuard } from './leave-guard';

/** Watches the page once it has loaded: the connection, the version of the server, unsaved input. */
export function PageWatchers() {
  return (
    <>
      <ConnectionNotice />
      <GentleReload />
      <LeaveGuard />
    </>
  );
}
