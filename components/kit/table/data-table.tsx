'use client';

import {
  type ColumnDef,
  createColumnHelper,
  flexRender,
  getCoreRowModel,
  type RowData,
  useReactTable,
} from '@tanstack/react-table';
import { clsx } from 'clsx';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import type { Selection } from '@/components/kit/resource/selection';
import { Button } from '@/components/kit/ui/button';
import { Checkbox } from '@/components/kit/ui/choice';
import { Skeleton } from '@/components/kit/ui/skeleton';
import type { Listed } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';
import { type Action, ActionMenu } from './row-actions';
import { PAGE_SIZE, type TableState } from './table-state';
import { type TableFilter, TableToolbar } from './table-toolbar';

declare module '@tanstack/react-table' {
  interface ColumnMeta<TData extends RowData, TValue> {
    /** Numbers stand to the right, so that their digits line up. */
    align?: 'right';
    /** From which width of the screen it is shown; always, without. */
    from?: 'sm' | 'md' | 'lg' | 'xl';
  }
}

/** Columns of a table: `const column = columnsOf<Secret>()`. One with `enableSorting` must be an order of the API. */
export const columnsOf = createColumnHelper;

interface DataTableProps<R extends object> {
  /** One of them, in lower case: "secret". */
  noun: string;
  /** Several of them, where an s does not do. */
  nouns?: string;
  list: Listed<R>;
  state: TableState;
  // biome-ignore lint/suspicious/noExplicitAny: columns of different value types share one array (TanStack Table)
  columns: ColumnDef<R, any>[];
  /** What tells rows apart that have no `id`. */
  rowId?: (row: R) => string;
  /** What the row's thing is called, for the names of its controls. */
  rowName: (row: R) => string;
  actions?: (row: R) => readonly Action[];
  /** For lists whose rows can be selected. */
  selection?: Selection | undefined;
  searchable?: boolean;
  filters?: readonly TableFilter[];
  toolbar?: ReactNode;
  /** What stands there while the list has nothing. */
  empty: ReactNode;
}

const none: never[] = [];

/** The `id` of a row. */
export function ownId(row: object): string {
  if (!('id' in row)) throw new Error('rows without an id need a rowId');
  return String(row.id);
}

const shownFrom = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden', xl: 'max-xl:hidden' } as const;

/** A list of the API: search, filter, order and paging are the server's, so they are right at any length. */
export function DataTable<R extends object>(props: DataTableProps<R>) {
  const { noun, nouns = `${noun}s`, list, state, columns, rowName, actions, selection, toolbar, empty } = props;
  const { searchable = true, filters = [], rowId = ownId } = props;
  const rows = list.data?.rows;
  const table = useReactTable({
    data: rows ?? none,
    columns,
    getCoreRowModel: getCoreRowModel(),
    getRowId: rowId,
    manualSorting: true,
    // Also keeps the table from going to its first page whenever it is given rows: with rows that are made anew by every
    // render, that would never end.
    manualPagination: true,
    defaultColumn: { enableSorting: false },
  });

  if (rows?.length === 0 && !state.narrowed && state.page === 1) {
    return <div className="rounded-lg border border-dashed bg-surface">{empty}</div>;
  }
  const headers = table.getHeaderGroups().flatMap((group) => group.headers);
  return (
    <div>
      <TableToolbar state={state} nouns={nouns} searchable={searchable} filters={filters}>
        {toolbar}
      </TableToolbar>
      {list.error && rows === undefined ? (
        <ErrorNotice
          title={`The ${nouns} could not be loaded`}
          error={list.error}
          onRetry={() => void list.refetch()}
        />
      ) : (
        <div
          className="overflow-x-auto rounded-lg border bg-surface"
          aria-busy={list.isFetching && list.isPlaceholderData}
        >
          <table className="w-full border-separate border-spacing-0 text-sm">
            <caption className="sr-only">{nouns}</caption>
            <thead>
              <tr>
                {selection && (
                  <th scope="col" className="w-px rounded-tl-lg border-b bg-sunken pl-4">
                    <Checkbox
                      aria-label={`Select all ${nouns} on this page`}
                      ref={(box) => {
                        if (box) box.indeterminate = selection.count > 0 && selection.count < (rows?.length ?? 0);
                      }}
                      checked={selection.count > 0 && selection.count === rows?.length}
                      onChange={({ target }) => selection.toggleAll(target.checked)}
                    />
                  </th>
                )}
                {headers.map((header) => {
                  const { id, column } = header;
                  const { meta } = column.columnDef;
                  const name = flexRender(column.columnDef.header, header.getContext());
                  const order = state.sort === id ? 'ascending' : state.sort === `-${id}` ? 'descending' : undefined;
                  return (
                    <th
                      key={id}
                      scope="col"
                      aria-sort={order}
                      className={clsx(
                        'h-9 whitespace-nowrap border-b bg-sunken px-4 font-medium text-ink-muted text-xs first:rounded-tl-lg',
                        meta?.align === 'right' ? 'text-right' : 'text-left',
                        meta?.from && shownFrom[meta.from],
                      )}
                    >
                      {column.getCanSort() ? (
                        <SortButton
                          order={order}
                          onSort={(next) => state.set({ sort: next === undefined ? undefined : `${next}${id}` })}
                        >
                          {name}
                        </SortButton>
                      ) : (
                        name
                      )}
                    </th>
                  );
                })}
                {actions && (
                  <th scope="col" className="sticky right-0 w-px rounded-tr-lg border-b bg-sunken px-2">
                    <span className="sr-only">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody
              onKeyDown={moveBetweenRows}
              className={clsx(list.isPlaceholderData && 'opacity-60 transition-opacity delay-150')}
            >
              {rows === undefined && (
                <SkeletonRows columns={headers.length + (actions ? 1 : 0) + (selection ? 1 : 0)} />
              )}
              {table.getRowModel().rows.map((row) => (
                <tr key={row.id} className="group/row hover:bg-hover [&:last-child>td]:border-b-0">
                  {selection && (
                    <td className="w-px border-b pl-4">
                      <Checkbox
                        aria-label={`Select ${rowName(row.original)}`}
                        checked={selection.has(row.id)}
                        // The click tells whether Shift is held; the change alone does not.
                        onClick={({ currentTarget, shiftKey }) =>
                          selection.toggle(row.id, currentTarget.checked, shiftKey)
                        }
                        onChange={tracked}
                      />
                    </td>
                  )}
                  {row.getVisibleCells().map(({ id, column, getContext }, position) => {
                    const { cell, meta } = column.columnDef;
                    return (
                      <td
                        key={id}
                        className={clsx(
                          'h-11 border-b px-4 py-1.5 max-sm:whitespace-nowrap',
                          // A long name leaves room for what is beside it.
                          position === 0 && 'max-sm:max-w-[52vw] max-sm:overflow-hidden max-sm:text-ellipsis',
                          meta?.align === 'right' && 'text-right tabular-nums',
                          meta?.from && shownFrom[meta.from],
                        )}
                      >
                        {flexRender(cell, getContext())}
                      </td>
                    );
                  })}
                  {actions && (
                    <td className="sticky right-0 border-b bg-surface px-2 text-right group-hover/row:bg-hover">
                      <ActionMenu name={rowName(row.original)} actions={actions(row.original)} />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
          {rows?.length === 0 && <NothingFound nouns={nouns} state={state} />}
        </div>
      )}
      {rows && (
        <Pager
          count={rows.length}
          next={list.data?.next}
          stale={list.isPlaceholderData}
          state={state}
          noun={noun}
          nouns={nouns}
        />
      )}
    </div>
  );
}

interface SortButtonProps {
  order: 'ascending' | 'descending' | undefined;
  /** `''` ascending, `'-'` descending, undefined for the API's own order. */
  onSort: (direction: '' | '-' | undefined) => void;
  children: ReactNode;
}

function SortButton({ order, onSort, children }: SortButtonProps) {
  const Icon = order === 'ascending' ? ArrowUp : order === 'descending' ? ArrowDown : ChevronsUpDown;
  return (
    <button
      type="button"
      onClick={() => onSort(order === undefined ? '' : order === 'ascending' ? '-' : undefined)}
      className="-mx-1 inline-flex items-center gap-1 rounded-sm px-1 py-0.5 hover:text-ink"
    >
      {children}
      <Icon className={clsx('size-3.5', order ? 'text-accent' : 'text-ink-subtle')} aria-hidden="true" />
    </button>
  );
}

function SkeletonRows({ columns }: { columns: number }) {
  return Array.from({ length: 6 }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: outlines have nothing else
    <tr key={row} className="[&:last-child>td]:border-b-0">
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outlines have nothing else
        <td key={column} className="h-11 border-b px-4">
          <Skeleton className={clsx('h-3.5', column === 0 ? 'w-32' : column === columns - 1 ? 'w-5' : 'w-20')} />
        </td>
      ))}
    </tr>
  ));
}

function NothingFound({ nouns, state }: { nouns: string; state: TableState }) {
  return (
    <div className="px-4 py-10 text-center text-sm">
      <p className="font-medium">No {nouns} match</p>
      <p className="mt-0.5 text-ink-muted">Try another search or fewer filters.</p>
      <Button className="mt-4" onClick={state.narrowed ? state.clear : state.goToFirst}>
        {state.narrowed ? 'Clear search and filters' : 'Go to the first page'}
      </Button>
    </div>
  );
}

interface PagerProps {
  count: number;
  next: string | undefined;
  /** The rows are still those of the page before. */
  stale: boolean;
  state: TableState;
  noun: string;
  nouns: string;
}

function Pager({ count, next, stale, state, noun, nouns }: PagerProps) {
  if (count === 0) return null;
  const before = (state.page - 1) * PAGE_SIZE;
  const range = `${formatNumber(before + 1)}–${formatNumber(before + count)}`;
  return (
    <nav
      aria-label={`Pages of ${nouns}`}
      className="mt-3 flex min-h-7 items-center justify-between gap-4 text-ink-muted text-xs"
    >
      <p className="tabular-nums" aria-live="polite">
        {next ? range : state.page > 1 ? `${range}, last page` : formatCount(count, noun, nouns)}
      </p>
      {(state.page > 1 || next) && (
        <div className="flex gap-2">
          <Button size="sm" disabled={state.page === 1} aria-disabled={stale} onClick={() => stale || state.goBack()}>
            Previous
          </Button>
          <Button size="sm" disabled={!next} aria-disabled={stale} onClick={() => stale || (next && state.goOn(next))}>
            Next
          </Button>
        </div>
      )}
    </nav>
  );
}

/** React requires it of a box whose state it sets. */
function tracked(): void {}

/** Arrow keys go from row to row, staying in the column: from link to link, from menu to menu. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>) {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
  const step = steps[event.key];
  const target = event.target;
  if (step === undefined || event.defaultPrevented || !(target instanceof HTMLElement)) return;
  const row = target.closest('tr');
  const cell = target.closest('td');
  if (!row || !cell) return;
  const other = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  const place = [...row.cells].indexOf(cell);
  const goal = other?.children[place]?.querySelector<HTMLElement>('a, button, input');
  if (!goal) return;
  event.preventDefault();
  goal.focus();
}
