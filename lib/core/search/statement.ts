import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import { each } from '@/lib/core/domains/domain';
import { type None, none } from '@/lib/core/domains/portal';
import type { AddressSearch } from '@/lib/core/domains/search';
import { hasTags } from '@/lib/core/tags/filter';
import type { SearchText } from './text';

const MOST = raw('10');
/** Shorter texts match only the beginning of a name. */
const SHORTEST_PART = 3;
/** Sorts after every text with the same prefix. */
const LAST = '\u{10FFFF}';

/** The rows to search: those of a project, public ones, or all. */
export type Scope = { project_id: string } | 'public' | 'all';

/** A source of results. */
export type Source = {
  type: string;
  table: string;
  /** The title and owner of a result, in SQL over the table's row `r`. */
  title: string;
  project: string;
  status: boolean;
  names: readonly string[];
  addresses: readonly AddressSearch[] | None;
  scopes: readonly Scope[];
};

/** Up to ten results of each source, best first: by id, address or tag, by the beginning of a name, by a part of one. */
export function searchStatement(sources: readonly Source[], search: SearchText): Sql {
  const found = sources.flatMap((source) => {
    const candidates = source.scopes.flatMap((scope) => candidatesOf(source, scope, search));
    return candidates.length === 0 ? [] : [resultsOf(source, candidates)];
  });
  if (found.length === 0) return raw('SELECT WHERE false');
  return sql`SELECT type, id, name, status, matched, address, project_id FROM (${join(found, ' UNION ALL ')}) AS found
    ORDER BY rank, lower(name), id`;
}

function resultsOf({ type, table, title, status, project }: Source, candidates: readonly Sql[]): Sql {
  return sql`(SELECT ${type}::text AS type, r.id, ${raw(title)} AS name, ${raw(status ? 'r.status' : 'NULL')} AS status,
      best.matched, best.address, best.rank, ${raw(project)} AS project_id
    FROM (SELECT DISTINCT ON (id) * FROM (${join(candidates, ' UNION ALL ')}) AS candidates ORDER BY id, rank) AS best
    JOIN ${raw(table)} r ON r.id = best.id ORDER BY best.rank, lower(${raw(title)}), r.id LIMIT ${MOST})`;
}

function candidatesOf({ table, names, addresses }: Source, scope: Scope, search: SearchText): Sql[] {
  const candidates = names.map((name) => byText(table, name, scope, search.text));
  if (search.ids) {
    const { first, last } = search.ids;
    candidates.push(sql`(SELECT id, 0 AS rank, 'id' AS matched, NULL AS address FROM ${raw(table)}
      WHERE ${within(scope, 'project_id')} AND id BETWEEN ${first}::uuid AND ${last}::uuid ORDER BY id LIMIT ${MOST})`);
  }
  if (typeof scope === 'object')
    candidates.push(...each(addresses).flatMap((where) => byAddress(where, scope, search)));
  if (typeof scope === 'object' && search.tag !== undefined) {
    candidates.push(sql`(SELECT r.id, 0 AS rank, 'tag' AS matched, NULL AS address FROM ${raw(table)} r
      WHERE ${within(scope, 'r.project_id')} AND ${hasTags('r')([search.tag])} LIMIT ${MOST})`);
  }
  return candidates;
}

function byText(table: string, column: string, scope: Scope, text: string): Sql {
  const name = raw(`lower(${column})`);
  const from = sql`SELECT id, CASE WHEN ${name} = ${text}::text THEN 0 WHEN starts_with(${name}, ${text}::text) THEN 1 ELSE 2 END AS rank,
    'name' AS matched, NULL AS address FROM ${raw(table)}`;
  const prefixed = sql`${from} WHERE ${within(scope, 'project_id')} AND ${name} ~>=~ ${text}::text
    AND ${name} ~<~ ${text + LAST}::text ORDER BY ${name} USING ~<~ LIMIT ${MOST}`;
  if (text.length < SHORTEST_PART) return sql`(${prefixed})`;
  const owner = scope === 'all' ? raw('NULL') : raw('project_id');
  const sought = typeof scope === 'object' ? sql`${scope.project_id}::uuid` : raw('NULL');
  return sql`(WITH prefixed AS MATERIALIZED (${prefixed})
    SELECT * FROM prefixed UNION ALL (
      ${from} WHERE search_terms(${owner}, ${raw(column)}) @> search_terms(${sought}, ${text}::text)
        AND strpos(${name}, ${text}::text) > 1 AND ${within(scope, 'project_id')}
        AND (SELECT count(*) FROM prefixed) < ${MOST} LIMIT ${MOST}))`;
}

function byAddress(where: AddressSearch, scope: Scope, { cidr, mac }: SearchText): Sql[] {
  const found = (
    address: string,
    condition: Sql,
  ) => sql`(SELECT ${raw(where.id)} AS id, 0 AS rank, 'address' AS matched,
    ${raw(address)} AS address FROM ${raw(where.from)} WHERE ${within(scope, where.project_id)} AND ${condition} LIMIT ${MOST})`;
  const results: Sql[] = [];
  if (cidr !== undefined && where.ip !== none) {
    const range = sql`BETWEEN set_masklen(network(${cidr}::inet)::inet, 32) AND set_masklen(broadcast(${cidr}::inet), 32)`;
    results.push(found(`host(${where.ip})`, sql`${raw(where.ip)} ${range}`));
  }
  if (cidr !== undefined && where.range !== none) {
    results.push(found(`text(${where.range})`, sql`${raw(where.range)} && ${cidr}::inet`));
  }
  if (mac !== undefined && where.mac !== none) {
    results.push(
      found(where.mac, sql`${raw(where.mac)} ~>=~ ${mac}::text AND ${raw(where.mac)} ~<~ ${mac + LAST}::text`),
    );
  }
  return results;
}

function within(scope: Scope, project: string): Sql {
  if (scope === 'all') return raw('true');
  return scope === 'public' ? raw(`${project} IS NULL`) : sql`${raw(project)} = ${scope.project_id}::uuid`;
}
