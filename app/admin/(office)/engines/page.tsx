'use client';

import { Server } from 'lucide-react';
import { type EngineReport, HostEngines } from '@/components/backoffice/engine-reports';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useBackOffice } from '@/lib/client/backoffice';

/** An engine that has not reported for so long counts as silent. */
const SILENCE_MS = 5 * 60_000;

/** What does the work on each host, how it is, and what it lacks. */
export default function EnginesPage() {
  const { api } = useBackOffice();
  const query = api.useQuery('get', '/admin/api/v1/engines', undefined, {
    // Changes come as hints; that an engine says nothing any more can only be seen when its time is up.
    refetchInterval: ({ state }) => untilSilence(state.data ?? []),
  });
  return (
    <Page
      title="Engines"
      description="The engines for instances, networks, volumes and images on each host. Hosts report once a minute."
    >
      <Loaded query={query} what="The engines" skeleton={<Skeleton className="h-80 w-full" />}>
        {(reports) =>
          reports.length === 0 ? (
            <div className="rounded-lg border border-dashed bg-surface">
              <EmptyState icon={Server} title="No engines reported yet">
                The worker of each host reports its engines when it starts. If nothing appears within a minute, check
                the worker’s log.
              </EmptyState>
            </div>
          ) : (
            <div className="space-y-6">
              {[...new Set(reports.map(({ host_id }) => host_id))].map((host) => (
                <HostEngines key={host} host={host} reports={reports.filter(({ host_id }) => host_id === host)} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

/** When the next engine would count as silent; never, where all are already. */
function untilSilence(reports: readonly EngineReport[]): number | false {
  const heard = reports.filter(({ silent }) => !silent).map(({ updated_at }) => Date.parse(updated_at));
  return heard.length > 0 && Math.max(10_000, Math.min(...heard) + SILENCE_MS - Date.now());
}
