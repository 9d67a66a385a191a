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
import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import type { Selection } from '@/components/kit/resource/selection';
import { Button } from '@/components/kit/ui/button';
import { Checkbox } from '@/components/kit/ui/choice';
import { Skeleton } from '@/components/kit/ui/skeleton';
import type { Listed } from '@/lib/client/list';
import { formatNumber } from '@/lib/format/number';
import { formatCount } from '@/lib/format/quantity';
import { useKeptFocus } from './kept-focus';
import { type Action, ActionMenu } from './row-actions';
import { PAGE_SIZE, type TableState } from './table-state';
import { type TableFilter, TableToolbar } from './table-toolbar';

declare module '@tanstack/react-table' {
  interface ColumnMeta<TData extends RowData, TValue> {
    /** Numbers stand to the right, so that their digits line up. */
    align?: 'right';
    /** The narrowest screen that shows it; phones, without. */
    from?: 'md' | 'lg' | 'xl';
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
  /** Where the rows are. */
  body: RefObject<HTMLTableSectionElement | null>;
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

const shownFrom = { md: 'max-md:hidden', lg: 'max-lg:hidden', xl: 'max-xl:hidden' } as const;

// On a phone, each row is a stack: its first cell and the menu on one line, the other values below, each with the name of
// its column. The markup stays a table.
const stacked = {
  table: 'max-sm:grid',
  head: 'max-sm:flex max-sm:min-h-9 max-sm:flex-wrap max-sm:items-center max-sm:gap-x-4 max-sm:rounded-t-lg max-sm:bg-sunken max-sm:px-4',
  noOrder: 'max-sm:sr-only',
  header: 'max-sm:flex max-sm:items-center max-sm:border-b-0 max-sm:bg-transparent max-sm:px-0',
  body: 'max-sm:grid',
  row: 'max-sm:relative max-sm:flex max-sm:min-w-0 max-sm:flex-wrap max-sm:items-center max-sm:gap-x-4 max-sm:gap-y-1 max-sm:border-b max-sm:px-4 max-sm:py-3 max-sm:last:border-b-0',
  cell: 'max-sm:flex max-sm:h-auto max-sm:min-w-0 max-sm:max-w-full max-sm:items-baseline max-sm:gap-1.5 max-sm:border-b-0 max-sm:p-0 max-sm:text-left max-sm:wrap-anywhere',
  selectAll: 'max-sm:flex max-sm:w-auto max-sm:items-center max-sm:border-b-0 max-sm:bg-transparent max-sm:p-0',
  select: 'max-sm:flex max-sm:w-auto max-sm:items-center max-sm:border-b-0 max-sm:p-0',
  first: 'max-sm:w-full',
  /** The line without the checkbox and the gap after it. */
  besideSelect: 'max-sm:w-[calc(100%-2rem)]',
  besideMenu: 'max-sm:pr-8',
  labelled:
    'max-sm:before:shrink-0 max-sm:before:text-ink-muted max-sm:before:text-xs max-sm:before:content-[attr(data-label)]',
  menu: 'max-sm:absolute max-sm:top-1.5 max-sm:right-2 max-sm:border-b-0 max-sm:bg-transparent max-sm:p-0 max-sm:group-hover/row:bg-transparent',
} as const;

/** The name beside a value in a stacked row. The first value is the row's title, and a status explains itself. */
function labelOf(position: number, id: string, header: unknown): string | undefined {
  return position === 0 || id === 'status' || typeof header !== 'string' ? undefined : header;
}

/** A list of the API: search, filter, order and paging are the server's, so they are right at any length. */
export function DataTable<R extends object>(props: DataTableProps<R>) {
  const { noun, nouns = `${noun}s`, list, state, columns, rowName, actions, selection, body, toolbar, empty } = props;
  const { searchable = true, filters = [], rowId = ownId } = props;
  const rows = list.data?.rows;
  const keptFocus = useKeptFocus(body);
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
          aria-busy={rows === undefined || (list.isFetching && list.isPlaceholderData)}
        >
          <table className={clsx('w-full border-separate border-spacing-0 text-sm', stacked.table)}>
            <caption className="sr-only">{nouns}</caption>
            <thead
              className={clsx(!selection && !headers.some(({ column }) => column.getCanSort()) && stacked.noOrder)}
            >
              <tr className={stacked.head}>
                {selection && (
                  <th scope="col" className={clsx('w-px rounded-tl-lg border-b bg-sunken pl-4', stacked.selectAll)}>
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
                        meta?.from ? shownFrom[meta.from] : column.getCanSort() ? stacked.header : stacked.noOrder,
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
                  <th
                    scope="col"
                    className={clsx(
                      'sticky right-0 w-px rounded-tr-lg border-b bg-sunken px-2',
                      stacked.noOrder,
                      'max-sm:right-auto',
                    )}
                  >
                    <span className="sr-only">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody
              ref={body}
              {...keptFocus}
              onKeyDown={moveBetweenRows}
              className={clsx(stacked.body, list.isPlaceholderData && 'opacity-60 transition-opacity delay-150')}
            >
              {rows === undefined && (
                <SkeletonRows columns={headers.length + (actions ? 1 : 0) + (selection ? 1 : 0)} />
              )}
              {table.getRowModel().rows.map((row) => (
                <tr key={row.id} className={clsx('group/row hover:bg-hover [&:last-child>td]:border-b-0', stacked.row)}>
                  {selection && (
                    <td className={clsx('w-px border-b pl-4', stacked.select)}>
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
                    const { cell, header, meta } = column.columnDef;
                    const label = labelOf(position, column.id, header);
                    return (
                      <td
                        key={id}
                        data-label={label}
                        className={clsx(
                          'h-11 border-b px-4 py-1.5',
                          meta?.from ? shownFrom[meta.from] : stacked.cell,
                          position === 0 && (selection ? stacked.besideSelect : stacked.first),
                          position === 0 && actions && stacked.besideMenu,
                          label && stacked.labelled,
                          meta?.align === 'right' && 'text-right tabular-nums',
                        )}
                      >
                        {flexRender(cell, getContext())}
                      </td>
                    );
                  })}
                  {actions && (
                    <td
                      className={clsx(
                        'sticky right-0 border-b bg-surface px-2 text-right group-hover/row:bg-hover',
                        stacked.menu,
                      )}
                    >
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
