'use client';

import { type Stage, StageList } from '@/components/kit/data/stage-list';
import { Time } from '@/components/kit/data/time';
import { useList } from '@/lib/client/list';
import type { Certificate } from './certificate-actions';

/** What a person follows of an order; each has one or more stages of the operation. */
const parts: readonly (Stage & { of: readonly string[] })[] = [
  { title: 'Ordering', about: 'Placing the order', of: ['account', 'key', 'place'] },
  { title: 'Validating', about: 'The authority checks every domain', of: ['challenges', 'validate'] },
  { title: 'Issuing', about: 'The authority signs the certificate', of: ['finalize', 'download'] },
];

/** The order of a certificate: its progress, or why it failed and when it is tried again. */
export function OrderProgress({ certificate }: { certificate: Certificate }) {
  const { issuer, status, status_reason, next_order_at } = certificate;
  if (issuer !== 'acme') return null;
  if (next_order_at === null) return <Running certificate={certificate} />;
  if (status_reason === null) return null;
  return (
    <section
      aria-label="Failed order"
      className="mb-5 rounded-lg border border-critical/35 bg-critical-soft p-4 text-sm"
    >
      <h2 className="font-medium">{status === 'failed' ? 'The order failed' : 'The renewal failed'}</h2>
      <p className="mt-1 wrap-anywhere text-pretty">{status_reason}</p>
      <p className="mt-1 text-ink-muted">
        Next attempt: <Time at={next_order_at} />
      </p>
    </section>
  );
}

function Running({ certificate }: { certificate: Certificate }) {
  const list = useList('/api/v1/operations', { resource_id: certificate.id, limit: 1 });
  const operation = list.data?.rows[0];
  const at = parts.findIndex(({ of }) => of.includes(operation?.stage ?? ''));
  return (
    <section
      aria-label="Progress"
      aria-live="polite"
      className="mb-5 rounded-lg border border-moving/35 bg-moving-soft p-4 text-sm"
    >
      <h2 className="font-medium">{certificate.not_after === null ? 'Order in progress' : 'Renewal in progress'}</h2>
      <StageList stages={parts} at={at} />
      {operation?.error && <p className="mt-3 text-pretty text-ink-muted">{operation.error}</p>}
    </section>
  );
}
