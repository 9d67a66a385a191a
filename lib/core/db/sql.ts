import { createHash } from 'node:crypto';

/** A piece of SQL with its values; pieces nest. Only `sql` creates it, so a value never becomes SQL text. */
export class Sql {
  constructor(
    readonly strings: readonly string[],
    /** The values and nested pieces between the strings. */
    readonly parts: readonly unknown[],
  ) {}
}

/**
 * `sql\`SELECT … WHERE id = ${id}::uuid AND ${condition}\`` — values become parameters, nested pieces are spliced in.
 */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Sql(strings, parts);
}

/** Literal SQL from the program, never from a request: a column, a table, a direction. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

/** Joins pieces with a separator. */
export function join(pieces: readonly Sql[], separator: string): Sql {
  if (pieces.length === 0) return raw('');
  return new Sql(['', ...pieces.slice(1).map(() => separator), ''], pieces);
}

export type Statement = { name: string; text: string; values: unknown[] };

const names = new Map<string, string>();

/** The piece as a prepared statement, named by its text. */
export function compile(piece: Sql): Statement {
  const values: unknown[] = [];
  const text = flatten(piece, values);
  let name = names.get(text);
  if (!name) {
    name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
  }
  return { name, text, values };
}

/** The text of the piece; appends its values to `values`. */
function flatten({ strings, parts }: Sql, values: unknown[]): string {
  let text = strings[0] ?? '';
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    text += part instanceof Sql ? flatten(part, values) : `$${values.push(part)}`;
    text += strings[i + 1] ?? '';
  }
  return text;
}

/** A row to insert; a value may be an expression in SQL. */
export type NewRow<Row> = { [Column in keyof Row]: Row[Column] | Sql };

/**
 * `INSERT … SELECT` of one row; parameters take the types of their columns. `from` must yield one row or none and
 * decides whether the row is inserted, for example `verdict WHERE verdict.ok`; SQL expressions among the values can
 * refer to it.
 */
export function insert<Row extends object>(
  table: string,
  row: NewRow<Row>,
  from: Sql = raw('(SELECT 1) AS always'),
): Sql {
  const present = Object.entries(row).filter(([, value]) => value !== undefined);
  const columns = present.map(([name]) => `"${name}"`).join(', ');
  // A JavaScript array can be a PostgreSQL array or JSON; the table's row type decides.
  const arrays = present.filter(([, value]) => Array.isArray(value));
  const chosen = present.map(([name, value]) => {
    if (value instanceof Sql) return value;
    return Array.isArray(value) ? raw(`new_row."${name}"`) : sql`${value}`;
  });
  const typed =
    arrays.length === 0
      ? raw('')
      : sql`jsonb_populate_record(NULL::${raw(table)}, ${JSON.stringify(Object.fromEntries(arrays))}::jsonb) AS new_row, `;
  return sql`INSERT INTO ${raw(table)} (${raw(columns)}) SELECT ${join(chosen, ', ')} FROM ${typed}${from}`;
}
