import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import type { Row } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';

type Check = Row<'/admin/api/v1/billing/reconciliations'>;

const column = columnsOf<Check>();
/** The columns of the checks of billing. */
export const reconciliationColumns = [
  column.accessor('created_at', { header: 'Checked', cell: ({ getValue }) => <Time at={getValue()} /> }),
  column.accessor('differing', {
    header: 'Result',
    cell: ({ getValue }) =>
      getValue() === 0 ? (
        <Badge tone="positive">No differences</Badge>
      ) : (
        <Badge tone="critical">{formatCount(getValue(), 'difference')}</Badge>
      ),
  }),
  column.accessor('resources', {
    header: 'Compared',
    meta: { align: 'right' },
    cell: ({ getValue }) => formatNumber(getValue()),
  }),
  column.accessor('period_from', {
    header: 'From',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} form="exact" />,
  }),
  column.accessor('period_to', {
    header: 'To',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} form="exact" />,
  }),
];
