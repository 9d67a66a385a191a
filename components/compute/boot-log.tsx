'use client';

import { RefreshCw } from 'lucide-react';
import { LogViewer } from '@/components/kit/logs/log-viewer';
import { Loaded } from '@/components/kit/page/loaded';
import { Button } from '@/components/kit/ui/button';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';

/** Serial output of an instance, as of the last refresh. */
export function BootLog({ instanceId }: { instanceId: string }) {
  const { api } = useProject();
  const log = api.useQuery(
    'get',
    '/api/v1/compute/instances/{id}/console-log',
    { params: { path: { id: instanceId } } },
    { staleTime: 0 },
  );
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-ink-muted text-sm">
          {log.data?.truncated ? 'The last lines of serial output.' : 'Serial output since the instance was created.'}
        </p>
        <Button pending={log.isFetching} onClick={() => void log.refetch()}>
          <RefreshCw /> Refresh
        </Button>
      </div>
      <Loaded query={log} what="The boot log" skeleton={<Skeleton className="h-80 w-full" />}>
        {({ output }) =>
          output === '' ? (
            <p className="rounded-lg border border-dashed px-4 py-10 text-center text-ink-muted text-sm">
              No output yet. The log starts when the guest boots.
            </p>
          ) : (
            <LogViewer label="Boot log" text={output} live />
          )
        }
      </Loaded>
    </div>
  );
}
