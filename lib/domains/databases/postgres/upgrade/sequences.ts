import { inEach, type Side } from './side';

/** How many values a switch leaves out: numbers that were handed out just before are never handed out again. */
export const SEQUENCE_LEAP = 1000;

/** Values per statement of the new side. */
const BATCH = 5000;

type Sequence = { schema: string; name: string; value: string };

/**
 * Sets the sequences of one side ahead of the other's, within their bounds; those that nobody used stay as they are. A
 * sequence that reaches its end sooner than that stays at its end.
 */
export async function moveSequences(from: Side, to: Side, databases: readonly string[]): Promise<number> {
  const read = new Map<string, Sequence[]>();
  await inEach(from, databases, async (client, database) => {
    const { rows } = await client.query<Sequence>(
      `SELECT schemaname AS schema, sequencename AS name,
        greatest(min_value, least(max_value, last_value::numeric + ${SEQUENCE_LEAP} * increment_by))::text AS value
      FROM pg_sequences WHERE last_value IS NOT NULL`,
    );
    read.set(database, rows);
  });
  await inEach(to, databases, async (client, database) => {
    const sequences = read.get(database) ?? [];
    for (let start = 0; start < sequences.length; start += BATCH) {
      const part = sequences.slice(start, start + BATCH);
      await client.query(
        `SELECT setval(format('%I.%I', schema, name)::regclass, value)
          FROM unnest($1::text[], $2::text[], $3::bigint[]) AS s (schema, name, value)
          WHERE to_regclass(format('%I.%I', schema, name)) IS NOT NULL`,
        [part.map(({ schema }) => schema), part.map(({ name }) => name), part.map(({ value }) => value)],
      );
    }
  });
  return [...read.values()].reduce((sum, sequences) => sum + sequences.length, 0);
}
