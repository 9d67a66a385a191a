import { escapeIdentifier as id } from 'pg';
import { inEach, type Side } from './side';

/** Statistics are not replicated: without them the first queries on a new side would be planned blindly. */
export async function analyze(side: Side, databases: readonly string[]): Promise<void> {
  await inEach(side, databases, (client) => client.query('ANALYZE'));
}

/**
 * Fills the materialized views that are filled on the other side, those first that others read. A view is refreshed by its
 * owner's rights, as `REFRESH` does.
 */
export async function refreshViews(from: Side, to: Side, databases: readonly string[]): Promise<void> {
  const filled = new Map<string, Set<string>>();
  await inEach(from, databases, async (client, database) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, matviewname) AS name FROM pg_matviews WHERE ispopulated`,
    );
    filled.set(database, new Set(rows.map(({ name }) => name)));
  });
  await inEach(to, databases, async (client, database) => {
    const { rows } = await client.query<{ schema: string; name: string }>(IN_ORDER);
    for (const { schema, name } of rows) {
      const quoted = await client.query<{ name: string }>(`SELECT format('%I.%I', $1::text, $2::text) AS name`, [
        schema,
        name,
      ]);
      if (!filled.get(database)?.has(quoted.rows[0]?.name ?? '')) continue;
      await client.query(`REFRESH MATERIALIZED VIEW ${id(schema)}.${id(name)}`);
    }
  });
}

/** Materialized views with how deep they stand on others, through plain views too. */
const IN_ORDER = `
  WITH RECURSIVE reads AS (
    SELECT DISTINCT r.ev_class AS view, d.refobjid AS source FROM pg_rewrite r
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
    JOIN pg_class c ON c.oid = d.refobjid AND c.relkind IN ('m', 'v') WHERE d.refobjid <> r.ev_class
  ), depth AS (
    SELECT oid AS view, 0 AS level FROM pg_class WHERE relkind IN ('m', 'v')
    UNION SELECT reads.view, depth.level + 1 FROM depth JOIN reads ON reads.source = depth.view
  )
  SELECT n.nspname AS schema, c.relname AS name FROM depth
  JOIN pg_class c ON c.oid = depth.view JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'm' GROUP BY n.nspname, c.relname ORDER BY max(depth.level), n.nspname, c.relname`;
