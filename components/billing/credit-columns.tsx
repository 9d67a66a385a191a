import { Money } from '@/components/kit/data/amounts';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { TextLink } from '@/components/network/text-link';
import type { Row } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { creditKindLook } from './credit-kinds';

type Entry = Row<'/api/v1/billing/credits'>;

const column = columnsOf<Entry>();

/** The entries of the credit ledger. */
export const creditColumns = [
  column.accessor('created_at', {
    header: 'Time',
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('kind', { header: 'Kind', cell: ({ getValue }) => <Kind kind={getValue()} /> }),
  column.accessor('reason', { header: 'Description', cell: ({ row: { original } }) => <Reason entry={original} /> }),
  column.accessor('amount_usd', {
    header: 'Amount',
    meta: { align: 'right' },
    cell: ({ getValue }) => (
      <span className={getValue() > 0 ? 'font-medium text-positive-ink' : undefined}>
        {getValue() > 0 && '+'}
        <Money usd={getValue()} />
      </span>
    ),
  }),
  column.accessor('balance_usd', {
    header: 'Balance',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Money usd={getValue()} />,
  }),
];

function Kind({ kind }: Pick<Entry, 'kind'>) {
  const { label, tone } = creditKindLook[kind];
  return <Badge tone={tone}>{label}</Badge>;
}

function Reason({ entry: { kind, reason, reference } }: { entry: Entry }) {
  const { project } = useProject();
  if (kind !== 'invoice') return reason;
  return <TextLink href={paths.invoice(project.slug, reference)}>{reason}</TextLink>;
}
