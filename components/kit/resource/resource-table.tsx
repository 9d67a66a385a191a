'use client';

import type { ColumnDef } from '@tanstack/react-table';
import { type ReactNode, useRef, useState } from 'react';
import { statusOptions } from '@/components/kit/data/statuses';
import { EmptyState } from '@/components/kit/page/empty-state';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { DataTable, ownId } from '@/components/kit/table/data-table';
import { focusRow } from '@/components/kit/table/kept-focus';
import type { Action } from '@/components/kit/table/row-actions';
import { type TableState, useTableState } from '@/components/kit/table/table-state';
import type { TableFilter } from '@/components/kit/table/table-toolbar';
import { TextFilter } from '@/components/kit/table/text-filter';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { type ListPath, type ListQuery, type Row, useList } from '@/lib/client/list';
import { paths } from '@/lib/paths';
import { isForSeveral } from './bulk';
import { type Example, exampleCommand } from './example-command';
import { useSelection } from './selection';

/** An operation that answers with a list, from `lib/client/operations`. */
export interface ListOperation {
  method: string;
  path: ListPath;
  /** Its filters that take one of a few values; without any query, it answers with everything. */
  filters?: Readonly<Record<string, readonly string[]>>;
  /** Its resources have tags to filter by. */
  tagged?: boolean;
}

export interface ResourceTableProps<O extends ListOperation> {
  of: Pick<ResourceKind, 'icon' | 'noun' | 'nouns'>;
  list: O;
  /** The resource in the list's path, for a list of its parts. */
  parent?: string;
  // biome-ignore lint/suspicious/noExplicitAny: columns of different value types share one array (TanStack Table)
  columns: ColumnDef<Row<O['path']>, any>[];
  /** What the list is always narrowed to, such as the snapshots of one volume. */
  query?: ListQuery;
  /** Filters of the toolbar: by name those whose values the operation knows, or with options of the page's own. */
  filters?: readonly ((keyof NonNullable<O['filters']> & string) | TableFilter)[];
  /** More query parameters, which `toolbar` sets. */
  parameters?: readonly string[];
  toolbar?: (state: TableState) => ReactNode;
  searchable?: boolean;
  /** What a row is called, for the names of its controls; its `name`, without. */
  rowName?: (row: Row<O['path']>) => string;
  /** What tells rows apart that have no `id`. */
  rowId?: (row: Row<O['path']>) => string;
  actions?: (row: Row<O['path']>, state: TableState) => readonly Action[];
  /** What one is for, in a sentence a newcomer understands. */
  empty: ReactNode;
  /** "No volumes yet", without. */
  emptyTitle?: string;
  /** What makes the first one. */
  create?: ReactNode;
  /** The operation that creates one, shown as a command. */
  command?: Example;
  /** What else needs the rows, such as a dialog that the address opens. */
  children?: (rows: readonly Row<O['path']>[]) => ReactNode;
}

const BulkBar = lazyComponent(() => import('./bulk-bar-popup').then((module) => module.BulkBar));

/** A list of the API as a table: search, filters, order and page stand in the address. */
export function ResourceTable<O extends ListOperation>(props: ResourceTableProps<O>) {
  const { of: kind, list: operation, columns, searchable = true, toolbar, actions } = props;
  const { rowName = ownName, rowId = ownId, empty, emptyTitle, create, command, children } = props;
  const { noun, nouns = `${noun}s` } = kind;
  const { filters, state, query } = useListQuery(props);
  const list = useList<O['path']>(operation.path, query, props.parent);
  const rows = list.data?.rows ?? [];
  const selectable = rows.map((row) => ({ id: rowId(row), name: rowName(row), actions: actions?.(row, state) ?? [] }));
  const selection = useSelection(selectable.map(({ id }) => id));
  const forSeveral = selectable.some((row) => row.actions.some(isForSeveral));
  const body = useRef<HTMLTableSectionElement>(null);
  const barWanted = useOnce(selection.count > 0);
  return (
    <>
      <DataTable
        noun={noun}
        nouns={nouns}
        list={list}
        state={state}
        columns={columns}
        rowName={rowName}
        rowId={rowId}
        selection={forSeveral ? selection : undefined}
        body={body}
        searchable={searchable}
        filters={filters}
        toolbar={
          (toolbar || operation.tagged) && (
            <>
              {toolbar?.(state)}
              {operation.tagged && (
                <TextFilter state={state} name="tag" label="Tag" hint="A key, or a key and a value: env=production." />
              )}
            </>
          )
        }
        {...(actions && { actions: (row: Row<O['path']>) => actions(row, state) })}
        empty={
          <EmptyState
            icon={kind.icon}
            title={emptyTitle ?? `No ${nouns} yet`}
            action={create}
            {...(command && {
              command: exampleCommand(command),
              reference: paths.apiReference(command.group, command.id),
            })}
          >
            {empty}
          </EmptyState>
        }
      />
      {barWanted && (
        <BulkBar
          rows={selectable.filter(({ id }) => selection.has(id))}
          noun={noun}
          nouns={nouns}
          clear={selection.clear}
          place={selectable.findIndex(({ id }) => selection.has(id))}
          focusRow={(place) => focusRow(body, place)}
        />
      )}
      {children?.(rows)}
    </>
  );
}

/** The query of a list, from its own props and the address. */
export function useListQuery<O extends ListOperation>(props: ResourceTableProps<O>) {
  const { list: operation, columns, parameters = [], searchable = true } = props;
  const filters = (props.filters ?? []).map((filter) =>
    typeof filter === 'string' ? choices(operation, filter) : filter,
  );
  const tags = operation.tagged ? ['tag'] : [];
  const state = useTableState([...filters.map(({ name }) => name), ...parameters, ...tags]);
  const sortable = columns.some(({ enableSorting }) => enableSorting);
  const query: ListQuery = {
    ...(operation.filters && state.query),
    ...(searchable ? {} : { search: undefined }),
    ...(sortable ? {} : { sort: undefined }),
    ...props.query,
  };
  return { filters, state, query };
}

function choices({ filters }: ListOperation, name: string): TableFilter {
  const words = name.replaceAll('_', ' ');
  return { name, label: words.charAt(0).toUpperCase() + words.slice(1), options: statusOptions(filters?.[name] ?? []) };
}

function ownName(row: object): string {
  return 'name' in row ? String(row.name) : '';
}

/** Whether something has ever been so. */
function useOnce(now: boolean): boolean {
  const [once, setOnce] = useState(now);
  if (now && !once) setOnce(true);
  return once;
}
