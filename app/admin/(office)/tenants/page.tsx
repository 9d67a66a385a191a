'use client';

import Link from 'next/link';
import { tenants } from '@/components/backoffice/navigation';
import { type Tenant, useTenantActions } from '@/components/backoffice/tenant-actions';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { listTenants } from '@/lib/client/operations/backoffice';
import { formatNumber } from '@/lib/format/number';
import { formatAmount, formatPart } from '@/lib/format/quantity';
import { adminPaths } from '@/lib/paths';

const column = columnsOf<Tenant>();
const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <Link href={adminPaths.tenant(original.id)} className="rounded-sm font-medium hover:underline">
        {original.name}
      </Link>
    ),
  }),
  column.accessor('slug', {
    header: 'Slug',
    enableSorting: true,
    cell: ({ getValue }) => <span className="font-mono text-xs">{getValue()}</span>,
  }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ row: { original } }) => <StatusBadge status={original.status} reason={original.suspension_reason} />,
  }),
  column.accessor('members', {
    header: 'Members',
    meta: { align: 'right', from: 'md' },
    cell: ({ getValue }) => formatNumber(getValue()),
  }),
  column.accessor((tenant) => share(tenant.quota.vcpus, 'vCPUs'), {
    id: 'vcpus',
    header: 'vCPUs in use',
    meta: { align: 'right', from: 'lg' },
  }),
  column.accessor((tenant) => share(tenant.quota.ram_gb, 'GB'), {
    id: 'ram_gb',
    header: 'Memory in use',
    meta: { align: 'right', from: 'lg' },
  }),
  column.accessor((tenant) => share(tenant.quota.storage_tb, 'TB'), {
    id: 'storage_tb',
    header: 'Storage in use',
    meta: { align: 'right', from: 'xl' },
  }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function share({ used, limit }: { used: number; limit: number }, unit: string): string {
  return `${formatPart(used, unit)} of ${formatAmount(limit, unit)}`;
}

/** The tenants of the platform, each a project with limits of its own. */
export default function TenantsPage() {
  const { actions, dialogs } = useTenantActions();
  return (
    <ResourceList
      of={tenants}
      list={listTenants}
      about="Customers of the platform. Each has its own members, resources and limits."
      empty="A tenant is a team or company that uses the platform. It starts with a first admin, who adds the other users, and with the default limits."
      columns={columns}
      filters={['status']}
      actions={actions}
    >
      {() => dialogs}
    </ResourceList>
  );
}
