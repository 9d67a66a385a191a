import type { z } from 'zod';
import type { AdministratorCall, ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import {
  type Asked,
  contains,
  equals,
  equalsId,
  type Filters,
  listOf,
  ofAllTenants,
  ofProject,
} from '@/lib/core/api/list';
import type { Page } from '@/lib/core/api/pagination';
import { queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import {
  type Activity,
  type AuditEntry,
  activityQuery,
  auditQuery,
  type PlatformAuditEntry,
  platformAuditQuery,
} from './schema';

/** An entry as returned by the database. */
type Row<Entry> = Omit<Entry, 'at' | 'last_at'> & { id: string; at: Date; last_at: Date | null };
type ActivityRow = Omit<Activity, 'at'> & { at: Date };
type Paging = { limit: number; cursor?: string | undefined };
type Without<Query extends z.ZodObject> = Omit<Asked<Query>, keyof Paging>;

/** The source of entries, and the actor columns that may be shown and searched. */
type View = { select: Sql; from: Sql; actor_id: string; actor_name: string };

const common = raw(
  'a.id, a.at, a.actor_type, a.action, a.resource_type, a.resource_id, a.resource_name, a.result, a.status, a.code, a.request_id, a.count, a.last_at, a.details',
);

/** Tenants see that a platform administrator acted, but neither who nor from where. */
const ofPlatform = (column: string, instead: string) =>
  `CASE WHEN a.actor_type IN ('administrator', 'host') THEN ${instead} ELSE a.${column} END`;
const tenantView: View = (() => {
  const actor_id = ofPlatform('actor_id', 'NULL');
  const actor_name = ofPlatform('actor_name', `'the platform'`);
  const address = ofPlatform('address', 'NULL');
  return {
    select: sql`${common}, ${raw(`${actor_id} AS actor_id, ${actor_name} AS actor_name, ${address} AS address`)}`,
    from: raw('audit_entries a'),
    actor_id,
    actor_name,
  };
})();

const platformView: View = {
  select: sql`${common}, a.actor_id, a.actor_name, a.address, a.project_id, p.name AS tenant_name, p.slug AS tenant_slug`,
  from: raw('audit_entries a LEFT JOIN projects p ON p.id = a.project_id'),
  actor_id: 'a.actor_id',
  actor_name: 'a.actor_name',
};

const list = { id: 'a.id', sort: { at: { column: 'a.at', type: 'timestamptz' } } } as const;
const tenantFilters = filtersOf(tenantView);

/** The project's entries, newest first. */
export const listAudit = listOf({
  ...list,
  query: auditQuery,
  columns: tenantView.select,
  from: tenantView.from,
  where: ofProject('a'),
  filters: tenantFilters,
  view: onWire<Row<AuditEntry>>,
});

/** One entry of the project. @throws ApiError 404 */
export async function readAudit(call: ProjectCall, id: string): Promise<AuditEntry> {
  return entry<Row<AuditEntry>>(tenantView, sql`${ofProject('a')(call)} AND a.id = ${id}::uuid`);
}

/** All entries of the platform, newest first. */
export const listPlatformAudit = listOf({
  ...list,
  query: platformAuditQuery,
  columns: platformView.select,
  from: platformView.from,
  where: ofAllTenants,
  filters: { tenant_id: equalsId('a.project_id'), ...filtersOf(platformView) },
  view: onWire<Row<PlatformAuditEntry>>,
});

/** One entry of the platform. @throws ApiError 404 */
export async function readPlatformAudit(_call: AdministratorCall, id: string): Promise<PlatformAuditEntry> {
  return entry<Row<PlatformAuditEntry>>(platformView, sql`a.id = ${id}::uuid`);
}

/** Iterates over all pages of the project's entries, for an export. */
export function walkAudit(
  call: ProjectCall,
  filters: Without<typeof auditQuery>,
): AsyncGenerator<readonly AuditEntry[]> {
  return walk((paging) => listAudit(call, { ...filters, ...paging }));
}

/** Iterates over all pages of the platform's entries, for an export. */
export function walkPlatformAudit(
  call: AdministratorCall,
  filters: Without<typeof platformAuditQuery>,
): AsyncGenerator<readonly PlatformAuditEntry[]> {
  return walk((paging) => listPlatformAudit(call, { ...filters, ...paging }));
}

/** The latest changes of the project's resources and who made them, without refusals and network addresses. */
export const listActivity = listOf({
  ...list,
  query: activityQuery,
  columns: raw(
    `a.id, a.at, a.actor_type, CASE WHEN a.actor_type = 'user' THEN coalesce(u.name, 'a former member') ELSE a.actor_name END
       AS actor_name, a.action, a.resource_type, a.resource_id, a.resource_name`,
  ),
  from: raw(`audit_entries a LEFT JOIN users u ON u.id = CASE WHEN a.actor_type = 'user' THEN a.actor_id::uuid END`),
  where: (call: ProjectCall) => sql`${ofProject('a')(call)} AND a.activity`,
  filters: { resource_type: tenantFilters.resource_type, resource_id: tenantFilters.resource_id },
  view: ({ at, ...row }: ActivityRow): Activity => ({ ...row, at: at.toISOString() }),
});

const EXPORT_PAGE = 1000;

async function entry<R extends Moments>(view: View, where: Sql) {
  const row = await queryOne<R>(sql`SELECT ${view.select} FROM ${view.from} WHERE ${where}`);
  if (!row) throw notFound('The audit entry', '');
  return onWire(row);
}

type Moments = { at: Date; last_at: Date | null };

function onWire<R extends Moments>(row: R) {
  return { ...row, at: row.at.toISOString(), last_at: row.last_at?.toISOString() ?? null };
}

function filtersOf({ actor_id, actor_name }: View): Filters<typeof auditQuery> {
  const searched = (column: string) => `coalesce(${column}, '')`;
  return {
    actor: (actor) => sql`(${equals(actor_id)(actor)} OR ${contains(actor_name)(actor)})`,
    action: equals('a.action'),
    resource_type: equals('a.resource_type'),
    resource_id: equals('a.resource_id'),
    request_id: equals('a.request_id'),
    result: equals('a.result'),
    from: (from) => {
      // Reads in one entry lie within an hour; the bound on `at` lets the query use the index.
      const since = sql`${new Date(from)}::timestamptz`;
      return sql`a.at >= ${since} - interval '1 hour' AND coalesce(a.last_at, a.at) >= ${since}`;
    },
    to: (to) => sql`a.at < ${new Date(to)}::timestamptz`,
    search: contains('a.action', searched(actor_name), searched('a.resource_name'), searched('a.resource_id')),
  };
}

async function* walk<Item>(page: (paging: Paging) => Promise<Page<Item>>): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined;
  do {
    const { items, next } = await page({ limit: EXPORT_PAGE, cursor });
    yield items;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}
