import type { ColumnMeta } from '@tanstack/react-table';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Id } from '@/components/kit/data/id';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { useProjectIfAny } from '@/lib/client/project';
import { columnsOf } from './data-table';

type From = Pick<ColumnMeta<object, unknown>, 'from'>;

interface Named {
  id: string;
  name: string;
  description?: string;
}

interface NameColumn<R> {
  /** The page of a row. */
  href?: (project: string, id: string) => string;
  /** Beside the name. */
  badge?: (row: R) => ReactNode;
}

/** The name, a link to its page if it has one, above its description. */
export function nameColumn<R extends Named>({ href, badge }: NameColumn<R> = {}) {
  return columnsOf<R>().accessor(({ name }) => name, {
    id: 'name',
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => <Name row={original} href={href} badge={badge?.(original)} />,
  });
}

function Name({
  row: { id, name, description },
  href,
  badge,
}: { row: Named; badge: ReactNode } & Pick<NameColumn<never>, 'href'>) {
  const project = useProjectIfAny()?.slug ?? '';
  return (
    <div className="max-w-xs">
      <span className="inline-flex max-w-full flex-wrap items-center gap-2">
        {href ? (
          <Link href={href(project, id)} className="rounded-sm font-medium hover:underline">
            {name}
          </Link>
        ) : (
          <span className="font-medium">{name}</span>
        )}
        {badge}
      </span>
      {description && <p className="truncate text-ink-muted text-xs">{description}</p>}
    </div>
  );
}

/** The status with its reason. */
export function statusColumn<R extends { status: string; status_reason?: string | null }>(meta: From = {}) {
  return columnsOf<R>().accessor(({ status }) => status, {
    id: 'status',
    header: 'Status',
    meta,
    cell: ({ row: { original } }) => <StatusBadge status={original.status} reason={original.status_reason} />,
  });
}

/** The id, to be copied, where the screen is wide. */
export function idColumn<R extends { id: string }>(noun: string) {
  return columnsOf<R>().accessor(({ id }) => id, {
    id: 'id',
    header: 'ID',
    meta: { from: 'xl' },
    cell: ({ getValue }) => <Id value={getValue()} label={`${noun} ID`} />,
  });
}

/** When it was created. */
export function createdColumn<R extends { created_at: string }>(meta: From = {}) {
  return columnsOf<R>().accessor(({ created_at }) => created_at, {
    id: 'created_at',
    header: 'Created',
    enableSorting: true,
    meta,
    cell: ({ getValue }) => <Time at={getValue()} />,
  });
}
