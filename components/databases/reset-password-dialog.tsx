'use client';

import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { useProject } from '@/lib/client/project';
import { NewCredentials } from './new-credentials';
import { type Cluster, pathOf } from './types';

/** Sets a new password, then shows it once. */
export function ResetPasswordDialog({ cluster, close }: { cluster: Cluster; close: () => void }) {
  const { api } = useProject();
  const reset = api.useMutation('post', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}/reset-password');
  const secret = cluster.engine === 'qdrant' ? 'API key' : 'password';
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Reset the ${secret} of ${cluster.name}`}
      description={reset.data ? `The former ${secret} no longer works.` : undefined}
    >
      {reset.data ? (
        <div className="space-y-5">
          <NewCredentials credentials={reset.data.credentials} />
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        </div>
      ) : (
        <div className="space-y-5 text-sm">
          <p className="text-pretty text-ink-muted">
            The current {secret} stops working immediately. Open connections stay open; programs that connect again need
            the new {secret}.
          </p>
          {reset.error !== null && <ErrorNotice title={`The ${secret} could not be reset`} error={reset.error} />}
          <div className="flex gap-2">
            <Button
              variant="danger"
              pending={reset.isPending}
              onClick={() => reset.mutate({ params: { path: pathOf(cluster) } })}
            >
              Reset {secret}
            </Button>
            <Button variant="quiet" onClick={close}>
              Cancel
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
