import { sql } from '@/lib/core/db/sql';
import type { DomainChecks } from '@/lib/core/domains/checks';
import { none } from '@/lib/core/domains/portal';

export const toyChecks: DomainChecks = {
  billing: none,
  quota: sql`SELECT project_id, id, 'databases' AS dimension, 1::numeric AS amount FROM toys`,
  devices: sql`SELECT id, 'toy' AS kind FROM toys UNION ALL SELECT id, 'toy_member' FROM toy_members`,
};
