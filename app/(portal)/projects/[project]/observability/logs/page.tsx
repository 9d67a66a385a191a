'use client';

import { Page } from '@/components/kit/page/page';
import { LogExplorer } from '@/components/observability/log-explorer';

/** Search in all logs of the project. */
export default function LogsPage() {
  return (
    <Page full title="Logs" description="Lines of every resource, and of the project’s own activity.">
      <LogExplorer />
    </Page>
  );
}
