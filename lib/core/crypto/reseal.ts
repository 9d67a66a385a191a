import { execute, query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { encryptionKeys } from '@/lib/keyring';
import { open, seal } from './seal';

/** A column of sealed values, as declared by its domain. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The column that identifies a row. */
  key: string;
  /** SQL for the value that a box is bound to (`seal`). */
  bound: string;
}

const BATCH = 500;

/** The id of the key that sealed a box, in SQL (format of `seal`: a length byte, the id, the rest). */
const keyOf = (column: Sql) => sql`convert_from(substring(${column} FROM 2 FOR get_byte(${column}, 0)), 'UTF8')`;

/**
 * Reseals everything that an older key has sealed, while the platform runs. A box that changes concurrently is skipped,
 * because its writer used the current key.
 * @returns the number of resealed boxes
 */
export async function resealAll(columns: readonly SealedColumn[]): Promise<number> {
  let resealed = 0;
  for (const place of columns) resealed += await resealColumn(place);
  return resealed;
}

async function resealColumn({ table, column, key, bound }: SealedColumn): Promise<number> {
  const [from, box, id] = [raw(table), raw(column), raw(key)];
  let resealed = 0;
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { current } = encryptionKeys();
    const rows = await query<{ id: string; box: Buffer; bound: string }>(sql`
      SELECT ${id}::text AS id, ${box} AS box, ${raw(bound)} AS bound FROM ${from}
       WHERE ${id} > ${last}::uuid AND ${box} IS NOT NULL AND ${keyOf(box)} <> ${current.id}::text
       ORDER BY ${id} LIMIT ${BATCH}::int`);
    for (const row of rows) {
      resealed += await execute(sql`
        UPDATE ${from} SET ${box} = ${seal(open(row.box, row.bound), row.bound)}::bytea
         WHERE ${id} = ${row.id}::uuid AND ${box} = ${row.box}::bytea`);
    }
    const end = rows.at(-1);
    if (!end || rows.length < BATCH) return resealed;
    last = end.id;
  }
}

/** The number of boxes that still need an older key; stored answers of requests count until they expire. */
export async function sealedWithOlderKeys(columns: readonly SealedColumn[]): Promise<number> {
  const { current } = encryptionKeys();
  const counts = [...columns, { table: 'idempotency_records', column: 'CASE WHEN sealed THEN answer END' }].map(
    ({ table, column }) =>
      sql`SELECT count(*) AS older FROM ${raw(table)} t
           WHERE (${raw(column)}) IS NOT NULL AND ${keyOf(raw(`(${column})`))} <> ${current.id}::text`,
  );
  let older = 0;
  for (const count of counts) older += Number((await query<{ older: string }>(count))[0]?.older ?? 0);
  return older;
}
