import { z } from 'zod';
import { query as rowsOf } from '@/lib/core/db/pool';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { AdministratorCall, ProjectCall } from './endpoint';
import { type ApiError, invalid } from './errors';
import { Page } from './pagination';

type Paging = { limit: number; cursor?: string | undefined; sort?: string | undefined };
type FilterName<Query extends z.ZodObject> = Exclude<keyof z.output<Query>, keyof Paging>;

/** A condition for each filter of the query, and for no others. */
export type Filters<Query extends z.ZodObject> = {
  [Name in FilterName<Query>]: (value: NonNullable<z.output<Query>[Name]>) => Sql;
};

/** A column to sort by, of type text by default. */
type SortKey = string | { column: string; type: 'timestamptz' | 'numeric' };

/** A column for each order that the query offers. A list without a choice can name the one column it is sorted by. */
type Sorting<Query extends z.ZodObject> =
  z.output<Query> extends { sort: infer Value extends string }
    ? { sort: { [Name in Exclude<Value, `-${string}` | 'created_at'>]: SortKey } & { created_at?: SortKey } }
    : { sort?: { [name: string]: SortKey } };

/** The parameters of a list request; without `sort`, the default order applies. */
export type Asked<Query extends z.ZodObject> = Pick<z.output<Query>, FilterName<Query>> & Paging;

/**
 * The list of an endpoint, typed from its query. A page is one keyset-paged statement: page 1,000 costs the same as
 * page 1. Ids are UUIDv7, so `created_at` sorts by `id` alone.
 */
export function listOf<Query extends z.ZodObject, Row extends { id: string }, Call, Item>(
  list: {
    query: Query;
    columns: Sql | ((call: Call) => Sql);
    /** A table or join. */
    from: Sql;
    /** The id column, qualified if `from` is a join. */
    id?: string;
    /** The rows that the caller may see. */
    where: (call: Call) => Sql;
    filters: Filters<NoInfer<Query>>;
    view: (row: Row, call: Call) => Item;
  } & Sorting<NoInfer<Query>>,
): (call: Call, query: Asked<Query>) => Promise<Page<Item>> {
  const { columns, from, filters, view } = list;
  const sorts: { [name: string]: SortKey } = list.sort ?? {};
  const first = 'sort' in list.query.shape ? 'created_at' : (Object.keys(sorts)[0] ?? 'created_at');
  return async (call, query) => {
    const sort = query.sort ?? `-${first}`;
    const order = orderBy(sort, sorts, raw(list.id ?? 'id'));
    const where = [list.where(call), ...conditions(filters, query)];
    if (query.cursor !== undefined) where.push(order.after(readCursor(query.cursor, sort)));
    const select = typeof columns === 'function' ? columns(call) : columns;
    const rows = await rowsOf<Row & { keyset_value?: string | Date }>(
      sql`SELECT ${select}${order.select} FROM ${from} WHERE ${join(where, ' AND ')}
          ORDER BY ${order.by} LIMIT ${query.limit + 1}::int`,
    );
    const shown = rows.slice(0, query.limit);
    const last = rows.length > query.limit ? shown.at(-1) : undefined;
    const next = last ? writeCursor(sort, last.keyset_value ?? null, last.id) : null;
    for (const row of shown) delete row.keyset_value;
    return new Page(
      shown.map((row) => view(row, call)),
      next,
    );
  };
}

function conditions<Query extends z.ZodObject>(filters: Filters<Query>, query: Asked<Query>): Sql[] {
  // The types have matched each condition with its value; TypeScript cannot follow a loop over names.
  const untyped = Object.entries(filters) as [FilterName<Query>, (value: unknown) => Sql][];
  return untyped.flatMap(([name, condition]) => (query[name] === undefined ? [] : [condition(query[name])]));
}

type Position = { value: string | null; id: string };

function orderBy(sort: string, sorts: { [name: string]: SortKey }, id: Sql) {
  const descending = sort.startsWith('-');
  const direction = raw(descending ? 'DESC' : 'ASC');
  const compare = raw(descending ? '<' : '>');
  const key = sorts[descending ? sort.slice(1) : sort];
  if (key === undefined) {
    return {
      select: raw(''),
      by: sql`${id} ${direction}`,
      after: (position: Position) => sql`${id} ${compare} ${position.id}::uuid`,
    };
  }
  const { column, type } = typeof key === 'string' ? { column: key, type: 'text' as const } : key;
  const value = raw(column);
  return {
    select: sql`, ${value} AS keyset_value`,
    by: sql`${value} ${direction}, ${id} ${direction}`,
    after: (position: Position) =>
      sql`(${value}, ${id}) ${compare} (${keyValue[type](position.value)}, ${position.id}::uuid)`,
  };
}

/** The cursor value of each type of sort column. */
const keyValue = {
  text: (value: string | null) => sql`${value}::text`,
  timestamptz: (value: string | null) => {
    const time = new Date(value ?? '');
    if (Number.isNaN(time.getTime())) throw badCursor();
    return sql`${time}::timestamptz`;
  },
  numeric: (value: string | null) => {
    if (!/^-?\d+(\.\d+)?$/.test(value ?? '')) throw badCursor();
    return sql`${value}::numeric`;
  },
};

const cursorShape = z.tuple([z.string(), z.string().nullable(), z.uuid()]);

function writeCursor(sort: string, value: string | Date | null, id: string): string {
  return Buffer.from(JSON.stringify([sort, value, id])).toString('base64url');
}

function readCursor(cursor: string, sort: string): Position {
  try {
    const [madeFor, value, id] = cursorShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    if (madeFor === sort) return { value, id };
  } catch {
    // Reported below, like a cursor of another order.
  }
  throw badCursor();
}

function badCursor(): ApiError {
  return invalid('cursor: pass it unchanged from the `Link` header of the previous page, with the same `sort`.');
}

/** The rows of the caller's project; `table` is the alias of the table with `project_id`. */
export function ofProject(table?: string): (call: ProjectCall) => Sql {
  const column = raw(table === undefined ? 'project_id' : `${table}.project_id`);
  return ({ project_id }) => sql`${column} = ${project_id}::uuid`;
}

/** The rows of all tenants, for the back office. */
export const ofAllTenants = (_: AdministratorCall): Sql => raw('true');

/** Filter: the column equals the text. */
export function equals(column: string): (value: string) => Sql {
  return (value) => sql`${raw(column)} = ${value}::text`;
}

/** Filter: the column equals the id. */
export function equalsId(column: string): (value: string) => Sql {
  return (value) => sql`${raw(column)} = ${value}::uuid`;
}

/** Filter: one of the columns contains the text, ignoring case. */
export function contains(...columns: [string, ...string[]]): (text: string) => Sql {
  return (text) => {
    const pattern = `%${text.replace(/[\\%_]/g, (special) => `\\${special}`)}%`;
    const found = columns.map((column) => sql`${raw(column)} ILIKE ${pattern}::text`);
    return sql`(${join(found, ' OR ')})`;
  };
}

/** Filter: an SQL condition for each value. */
export function oneOf<const Value extends string>(conditions: { [value in Value]: string }): (value: Value) => Sql {
  return (value) => raw(conditions[value]);
}
