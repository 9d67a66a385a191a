import { z } from 'zod';
import { query } from '@/lib/core/db/pool';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import { type ApiError, invalid } from './errors';

/** One page of a list and the cursor of the next, if there is one. */
export class Page<Item> {
  constructor(
    readonly items: readonly Item[],
    readonly next: string | null,
  ) {}

  map<Other>(change: (item: Item) => Other): Page<Other> {
    return new Page(this.items.map(change), this.next);
  }
}

/** Query parameters of every list; spread into the list's own filters. */
export const listQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(50)
    .meta({ description: 'Number of items per page, 1 to 200.' }),
  cursor: z.string().max(1024).optional().meta({ description: 'From the `Link` header of the previous page.' }),
};

/** The `sort` parameter of a list: a column, `-` before it for descending. */
export function sortQuery<const Columns extends readonly [string, ...string[]]>(columns: Columns) {
  const values = columns.flatMap((column) => [column, `-${column}`]);
  return z
    .enum(values as [string, ...string[]])
    .default('-created_at')
    .meta({ description: 'Sort order; prefix a name with `-` for descending.' });
}

const cursorShape = z.tuple([z.string(), z.string().nullable(), z.uuid()]);

/**
 * One page by keyset, so that page 1,000 costs what page 1 costs. `from` names the table or join, `where` its
 * conditions; the rows' ids are UUIDv7, so `created_at` sorts by `id` alone. Other sort columns are text, but `at` and
 * amounts.
 */
export async function keysetPage<Row extends { id: string }>(options: {
  select: Sql;
  from: Sql;
  where: readonly Sql[];
  limit: number;
  cursor?: string | undefined;
  sort?: string | undefined;
  /** The id column, qualified where the tables are several. */
  id?: Sql;
}): Promise<Page<Row>> {
  const sort = options.sort ?? '-created_at';
  const descending = sort.startsWith('-');
  const column = descending ? sort.slice(1) : sort;
  const byAge = column === 'created_at';
  const id = options.id ?? raw('id');
  const direction = raw(descending ? 'DESC' : 'ASC');
  const compare = raw(descending ? '<' : '>');
  const value = raw(`"${column.replaceAll('"', '')}"`);
  const after = options.cursor === undefined ? undefined : readCursor(options.cursor, sort);
  const where = [...options.where];
  if (after) {
    where.push(
      byAge
        ? sql`${id} ${compare} ${after.id}::uuid`
        : sql`(${value}, ${id}) ${compare} (${sortValue(column, after.value)}, ${after.id}::uuid)`,
    );
  }
  const order = byAge ? sql`${id} ${direction}` : sql`${value} ${direction}, ${id} ${direction}`;
  const rows = await query<Row & { keyset_value?: string | Date }>(
    sql`SELECT ${options.select}${byAge ? raw('') : sql`, ${value} AS keyset_value`} FROM ${options.from}
        ${where.length > 0 ? sql`WHERE ${join(where, ' AND ')}` : raw('')} ORDER BY ${order} LIMIT ${options.limit + 1}::int`,
  );
  const shown = rows.slice(0, options.limit);
  const last = rows.length > options.limit ? shown.at(-1) : undefined;
  const next = last ? writeCursor(sort, last.keyset_value ?? null, last.id) : null;
  for (const row of shown) delete row.keyset_value;
  const items: Row[] = shown;
  return new Page(items, next);
}

/** Where a page ended in its sort column, with its type: the column `at` is a time, `…_usd` an amount. */
function sortValue(column: string, value: string | null): Sql {
  if (column.endsWith('_usd')) {
    if (!/^-?\d+(\.\d+)?$/.test(value ?? '')) throw badCursor();
    return sql`${value}::numeric`;
  }
  if (column !== 'at') return sql`${value}::text`;
  const time = new Date(value ?? '');
  if (Number.isNaN(time.getTime())) throw badCursor();
  return sql`${time}::timestamptz`;
}

function writeCursor(sort: string, value: string | Date | null, id: string): string {
  return Buffer.from(JSON.stringify([sort, value, id])).toString('base64url');
}

function readCursor(cursor: string, sort: string): { value: string | null; id: string } {
  try {
    const [madeFor, value, id] = cursorShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    if (madeFor === sort) return { value, id };
  } catch {
    // Told below, like a cursor of another order.
  }
  throw badCursor();
}

function badCursor(): ApiError {
  return invalid('cursor: pass it unchanged from the `Link` header of the previous page, with the same `sort`.');
}

/** A condition for `search=`: the text anywhere in the column, capital or not. */
export function contains(column: string, text: string): Sql {
  return sql`${raw(column)} ILIKE ${`%${text.replace(/[\\%_]/g, (special) => `\\${special}`)}%`}::text`;
}
