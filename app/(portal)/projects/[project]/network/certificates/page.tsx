'use client';

import { type Certificate, useCertificateActions } from '@/components/certificates/certificate-actions';
import { certificates } from '@/components/certificates/domain';
import { Validity } from '@/components/certificates/validity';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, idColumn, nameColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { createCertificate, listCertificates } from '@/lib/client/operations/gateway';
import { formatNumber } from '@/lib/format/number';
import { paths } from '@/lib/paths';

const column = columnsOf<Certificate>();
const columns = [
  nameColumn<Certificate>({ href: paths.certificate }),
  column.accessor('domains', {
    header: 'Names',
    cell: ({ getValue }) => {
      const [first, ...others] = getValue();
      return (
        <span className="wrap-anywhere">
          {first}
          {others.length > 0 && <span className="text-ink-muted"> +{formatNumber(others.length)}</span>}
        </span>
      );
    },
  }),
  statusColumn<Certificate>(),
  column.accessor('not_after', {
    header: 'Time left',
    cell: ({ row }) => <Validity certificate={row.original} />,
  }),
  column.accessor('used_by', {
    header: 'Used by',
    meta: { from: 'lg', align: 'right' },
    cell: ({ getValue }) => formatNumber(getValue().length),
  }),
  idColumn<Certificate>('certificate'),
  createdColumn<Certificate>({ from: 'xl' }),
];

/** Certificates of the project, with the time that each has left. */
export default function CertificatesPage() {
  const actionsOf = useCertificateActions();
  return (
    <ResourceList
      of={certificates}
      list={listCertificates}
      command={createCertificate}
      about="TLS certificates of load balancers and routes. Private keys are encrypted and never shown."
      empty="Upload a certificate, or order one that renews itself."
      columns={columns}
      filters={[{ name: 'status', label: 'Status', options: statusOptions }]}
      actions={actionsOf}
    />
  );
}

const statusOptions = [
  { value: 'issued', label: 'Issued' },
  { value: 'expiring', label: 'Expiring' },
  { value: 'expired', label: 'Expired' },
  { value: 'pending', label: 'Pending' },
  { value: 'failed', label: 'Failed' },
];
