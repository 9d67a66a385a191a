'use client';

import { CheckboxListField } from '@/components/kit/form/checkbox-list-field';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import type { LoadBalancerForm } from './load-balancer-form';

/** The certificates of an HTTPS listener. The form stays as it is while one is uploaded in another tab. */
export function CertificatesField({ form: { control }, position }: { form: LoadBalancerForm; position: number }) {
  const { project } = useProject();
  const { data, error, refetch } = useList('/api/v1/gateway/certificates', { limit: 200, sort: 'name' });
  if (!data) {
    return error === null ? (
      <Skeleton className="h-24 w-full" />
    ) : (
      <ErrorNotice title="The certificates could not be loaded" error={error} onRetry={() => void refetch()} />
    );
  }
  return (
    <div className="space-y-2">
      <CheckboxListField
        control={control}
        name={`listeners.${position}.certificate_ids`}
        label="Certificates"
        description={() =>
          data.rows.length === 0
            ? 'The project has no certificates yet. Upload or order one first.'
            : 'Chosen by the host name of each connection. The first one that you select is also for all other names.'
        }
        items={data.rows.map(({ id, name, domains, status, fingerprint_sha256 }) => ({
          value: id,
          label: name,
          description: `${domains.join(', ')}${status === 'expired' ? ' (expired)' : ''}`,
          disabledReason: fingerprint_sha256 === null ? 'Not issued yet.' : undefined,
        }))}
      />
      <p className="text-sm">
        <a href={paths.newCertificate(project.slug)} target="_blank" rel="noopener" className="text-accent underline">
          Add certificate
        </a>{' '}
        <span className="text-ink-muted text-xs">opens in a new tab; the certificate then appears here.</span>
      </p>
    </div>
  );
}
