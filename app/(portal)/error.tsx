'use client';

import { FailedPage } from '@/components/kit/page/failed-page';

/** Below the shell: the navigation stays, so that there is a way out. */
export default function PortalError(props: { error: unknown; retry: () => void }) {
  return (
    <div className="mx-auto max-w-lg px-4 pt-16 sm:px-6">
      <FailedPage {...props} />
    </div>
  );
}
