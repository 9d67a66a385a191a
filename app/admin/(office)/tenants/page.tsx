'use client';

import { Building2 } from 'lucide-react';
import Link from 'next/link';
import { type Tenant, useTenantActions } from '@/components/backoffice/tenant-actions';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { useList } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { formatQuantity } from '@/lib/format/quantity';
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
    meta: { from: 'sm' },
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
    meta: { from: 'sm' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function share({ used, limit }: { used: number; limit: number }, unit: string): string {
  return `${formatNumber(used)} of ${formatQuantity(limit, unit)}`;
}

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
];

/** The tenants of the platform, each a project with limits of its own. */
export default function TenantsPage() {
  const state = useTableState(['status']);
  const list = useList('/admin/api/v1/tenants', state.query);
  const { actions, dialogs } = useTenantActions();
  const create = <CreateLink label="Create tenant" href={adminPaths.newTenant()} operation="createTenant" />;
  return (
    <Page
      title="Tenants"
      description="Customers of the platform. Each has its own members, resources and limits."
      actions={create}
    >
      <DataTable
        noun="tenant"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        filters={[{ name: 'status', label: 'Status', options: statuses }]}
        actions={actions}
        empty={
          <EmptyState icon={Building2} title="No tenants yet" action={create}>
            A tenant is a team or company that uses the platform. It starts with a first admin, who adds the other
            users, and with the default limits.
          </EmptyState>
        }
      />
      {dialogs}
    </Page>
  );
}
