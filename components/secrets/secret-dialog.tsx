'use client';

import { PropertyList } from '@/components/kit/data/property-list';
import { Secret } from '@/components/kit/data/secret';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import type { Row } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';

interface SecretDialogProps {
  secret: Row<'/api/v1/vault/secrets'>;
  close: () => void;
}

/**
 * Shows a secret's value, after one more confirmation each time. The value is asked for then and not before, kept by
 * nothing but this dialog, and gone when it closes.
 */
export function SecretDialog({ secret, close }: SecretDialogProps) {
  const { api } = useProject();
  const reading = api.useMutation('get', '/api/v1/vault/secrets/{id}/payload', { gcTime: 0 });
  const { data } = reading;
  return (
    <Dialog open onOpenChange={(open) => open || close()} title={secret.name} description={secretSentence(secret)}>
      <div className="space-y-4">
        {secret.certificate && (
          <PropertyList
            items={[
              ['Subject', secret.certificate.subject],
              ['Issuer', secret.certificate.issuer],
              ['Domains', secret.certificate.domains.join(', ') || 'none'],
              ['Valid until', <Time key="until" at={secret.certificate.not_after} form="exact" />],
            ]}
          />
        )}
        {data ? (
          <Secret value={data.payload} label="value" />
        ) : (
          <p className="text-pretty text-ink-muted text-sm">Viewing the value is recorded in the audit log.</p>
        )}
        {reading.error !== null && <ErrorNotice title="The value could not be read" error={reading.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>{data ? 'Close' : 'Cancel'}</Button>
          {!data && (
            <Button
              variant="primary"
              pending={reading.isPending}
              onClick={() => reading.mutate({ params: { path: { id: secret.id } } })}
            >
              Show the value
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function secretSentence({ payload_encoding }: SecretDialogProps['secret']): string {
  return payload_encoding === 'base64' ? 'The value in base64, as stored.' : 'The value, as stored.';
}
