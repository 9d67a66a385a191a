'use client';

import { Secret } from '@/components/kit/data/secret';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { useProject } from '@/lib/client/project';

const path = '/api/v1/billing/alerts/signing-secret';

/** Shows what webhooks are signed with, when it is asked for: each reading is on record. It can be replaced here. */
export function SigningSecretDialog({ close }: { close: () => void }) {
  const { api } = useProject();
  const confirm = useConfirm();
  const reading = api.useMutation('get', path, { gcTime: 0 });
  const rotation = api.useMutation('post', `${path}/rotate`, { gcTime: 0 });
  const secret = rotation.data ?? reading.data;
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title="Signing secret"
      description="Receivers use this secret with a Standard Webhooks library to verify that alerts come from Nephele."
    >
      <div className="space-y-4">
        {secret ? (
          <>
            <Secret key={secret.secret} value={secret.secret} label="signing secret" />
            <p className="text-pretty text-ink-muted text-sm">
              Created <Time at={secret.created_at} form="exact" />.
              {secret.previous_expires_at && (
                <>
                  {' '}
                  Until <Time at={secret.previous_expires_at} form="exact" /> webhooks are also signed with the previous
                  secret.
                </>
              )}
            </p>
          </>
        ) : (
          <p className="text-pretty text-ink-muted text-sm">Viewing the secret is recorded in the audit log.</p>
        )}
        {reading.error !== null && <ErrorNotice title="The secret could not be read" error={reading.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button
            onClick={() =>
              confirm({
                title: 'Replace the signing secret?',
                consequence:
                  'Webhooks are signed with the new secret, and for 24 hours also with the old one. Update the receiver in that time.',
                confirmLabel: 'Replace secret',
                onConfirm: () => rotation.mutateAsync({ body: {} }),
              })
            }
          >
            Replace
          </Button>
          {secret ? (
            <Button onClick={close}>Close</Button>
          ) : (
            <Button variant="primary" pending={reading.isPending} onClick={() => reading.mutate({})}>
              Show secret
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
