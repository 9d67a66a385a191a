import { createHash } from 'node:crypto';

/** A piece of SQL with its values; pieces nest. Made only by `sql`, so that no value ever becomes text. */
export class Sql {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
  ) {}
}

/** `sql\`SELECT … WHERE id = ${id}::uuid AND ${condition}\`` — values become parameters, nested pieces are spliced in. */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  const texts: string[] = [strings[0] ?? ''];
  const values: unknown[] = [];
  const append = (text: string) => {
    texts[texts.length - 1] += text;
  };
  parts.forEach((part, index) => {
    if (part instanceof Sql) {
      append(part.strings[0] ?? '');
      part.values.forEach((value, i) => {
        values.push(value);
        texts.push(part.strings[i + 1] ?? '');
      });
    } else {
      values.push(part);
      texts.push('');
    }
    append(strings[index + 1] ?? '');
  });
  return new Sql(texts, values);
}

/** Text that is part of the program, never of a request: a column, a table, a direction. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

/** The pieces with a separator between them. */
export function join(pieces: readonly Sql[], separator: string): Sql {
  return pieces.reduce((all, piece, index) => (index === 0 ? piece : sql`${all}${raw(separator)}${piece}`), raw(''));
}

export type Statement = { name: string; text: string; values: unknown[] };

const names = new Map<string, string>();

/** The piece as one prepared statement, named by its text. */
export function compile(piece: Sql): Statement {
  const text = piece.strings.reduce((all, part, index) => `${all}$${index}${part}`);
  let name = names.get(text);
  if (!name) {
    name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
  }
  return { name, text, values: [...piece.values] };
}

/** A row to insert; a value may be an expression in SQL. */
export type NewRow<Row> = { [Column in keyof Row]: Row[Column] | Sql };

/**
 * `INSERT … SELECT` of one row, its types taken from the table. `from` decides whether the row comes to be: it must
 * yield one row or none, for example `verdict WHERE verdict.ok`; expressions among the values may refer to it.
 */
export function insert<Row extends object>(
  table: string,
  row: NewRow<Row>,
  from: Sql = raw('(SELECT 1) AS always'),
): Sql {
  const present = Object.entries(row).filter(([, value]) => value !== undefined);
  const columns = present.map(([name]) => `"${name}"`).join(', ');
  const chosen = present.map(([name, value]) => (value instanceof Sql ? value : raw(`new_row."${name}"`)));
  const given = present.filter(([, value]) => !(value instanceof Sql)).map(([name, value]) => [name, storable(value)]);
  const record = JSON.stringify(Object.fromEntries(given));
  return sql`INSERT INTO ${raw(table)} (${raw(columns)}) SELECT ${join(chosen, ', ')}
    FROM jsonb_populate_record(NULL::${raw(table)}, ${record}::jsonb) AS new_row, ${from}`;
}

function storable(value: unknown): unknown {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (typeof value === 'bigint') return value.toString();
  return value;
}
