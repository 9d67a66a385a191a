'use client';

import type { ReactNode } from 'react';
import { CodeBlock } from '@/components/kit/data/code-block';
import { CopyButton } from '@/components/kit/data/copy-button';
import { Id } from '@/components/kit/data/id';
import { PropertyList } from '@/components/kit/data/property-list';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { Dialog } from '@/components/kit/ui/dialog';
import type { Row } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { typeWords } from '@/lib/format/resource-type';
import { actorTypeLabel } from './words';

interface EntrySheetProps {
  entry: Row<'/api/v1/audit'>;
  /** The entry's tenant, in logs of several tenants. */
  tenant?: ReactNode;
  close: () => void;
}

/** All details of one audit log entry. */
export function EntrySheet({ entry, tenant, close }: EntrySheetProps) {
  const { details } = entry;
  return (
    <Dialog open onOpenChange={(open) => open || close()} form="sheet" title={entry.action}>
      <div className="space-y-5">
        <PropertyList
          items={[
            ['Result', <StatusBadge key="result" status={entry.result} />],
            ['Response', `${entry.status}${entry.code ? ` ${entry.code}` : ''}`],
            ['Time', <Time key="at" at={entry.at} form="exact" />],
            ['Count', entry.count > 1 ? `${formatNumber(entry.count)} within one hour (showing the last)` : undefined],
            ['Last time', entry.last_at ? <Time key="last" at={entry.last_at} form="exact" /> : undefined],
            ['Actor', `${entry.actor_name} (${actorTypeLabel(entry.actor_type)})`],
            ['Actor ID', entry.actor_id ? <Id key="actor" value={entry.actor_id} label="actor ID" full /> : undefined],
            ['Source IP', entry.address ?? undefined],
            ['Tenant', tenant],
            ['Resource', entry.resource_name ?? undefined],
            ['Resource type', entry.resource_type ? typeWords(entry.resource_type) : undefined],
            [
              'Resource ID',
              entry.resource_id ? <Id key="resource" value={entry.resource_id} label="resource ID" full /> : undefined,
            ],
            [
              'Request ID',
              entry.request_id ? (
                <span key="request" className="inline-flex items-center gap-1">
                  <code className="break-all font-mono text-xs">{entry.request_id}</code>
                  <CopyButton value={entry.request_id} label="request ID" />
                </span>
              ) : undefined,
            ],
          ]}
        />
        {details && Object.keys(details).length > 0 && (
          <div>
            <h3 className="mb-1.5 font-medium text-sm">Details</h3>
            <CodeBlock code={JSON.stringify(details, null, 2)} label="details" />
          </div>
        )}
      </div>
    </Dialog>
  );
}
