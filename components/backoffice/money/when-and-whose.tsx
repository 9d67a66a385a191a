import type { ColumnHelper } from '@tanstack/react-table';
import { Time } from '@/components/kit/data/time';
import { TenantCell } from './tenant-cell';

interface Movement {
  created_at: string;
  tenant_id: string;
  tenant_name: string;
}

/** The first columns of a list of money that moved. */
export function whenAndWhose<Row extends Movement>(column: ColumnHelper<Row>) {
  return [
    column.accessor((row) => row.created_at, {
      id: 'created_at',
      header: 'Time',
      cell: ({ getValue }) => <Time at={getValue()} />,
    }),
    column.accessor((row) => row.tenant_name, {
      id: 'tenant_name',
      header: 'Tenant',
      cell: ({ row: { original } }) => <TenantCell id={original.tenant_id} name={original.tenant_name} />,
    }),
  ];
}
