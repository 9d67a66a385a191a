import { contains } from '@/lib/core/api/pagination';
import { join, type Sql, sql } from '@/lib/core/db/sql';

/** A condition for `search=`: a part of the name, slug or id of the project `p`. */
export function tenantMatches(search: string): Sql {
  const anywhere = ['p.name', 'p.slug', 'p.id::text'].map((column) => contains(column, search));
  return sql`(${join(anywhere, ' OR ')})`;
}
