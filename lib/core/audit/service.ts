import type { AdministratorCall, ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { contains, keysetPage, type Page } from '@/lib/core/api/pagination';
import { queryOne } from '@/lib/core/db/pool';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Activity, AuditEntry, AuditFilters, PlatformAuditEntry } from './schema';

/** An entry as the database gives it. */
type Row<Entry> = Omit<Entry, 'at' | 'last_at'> & { id: string; at: Date; last_at: Date | null };
type ActivityRow = Omit<Activity, 'at'> & { at: Date };
type Paging = { limit: number; cursor?: string | undefined };

/** Where entries come from, and what of their actors may be seen and searched there. */
type View = { select: Sql; from: Sql; actor_id: string; actor_name: string };

const common = raw(
  'a.id, a.at, a.actor_type, a.action, a.resource_type, a.resource_id, a.resource_name, a.result, a.status, a.code, a.request_id, a.count, a.last_at, a.details',
);

/** A tenant learns that the platform's administrators acted, not who they are or where they sit. */
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

const ofProject = (projectId: string) => sql`a.project_id = ${projectId}::uuid`;

/** The project's entries, latest first. */
export async function listAudit(call: ProjectCall, filters: AuditFilters & Paging): Promise<Page<AuditEntry>> {
  return entries<Row<AuditEntry>>(tenantView, [ofProject(call.project_id)], filters);
}

/** One entry of the project. @throws ApiError 404 */
export async function readAudit(call: ProjectCall, id: string): Promise<AuditEntry> {
  return entry<Row<AuditEntry>>(tenantView, [ofProject(call.project_id), sql`a.id = ${id}::uuid`]);
}

type PlatformFilters = AuditFilters & { tenant_id?: string | undefined };
const ofTenant = ({ tenant_id }: PlatformFilters) => (tenant_id === undefined ? [] : [ofProject(tenant_id)]);

/** Every entry of the platform, latest first. */
export async function listPlatformAudit(
  _call: AdministratorCall,
  filters: PlatformFilters & Paging,
): Promise<Page<PlatformAuditEntry>> {
  return entries<Row<PlatformAuditEntry>>(platformView, ofTenant(filters), filters);
}

/** One entry of the platform. @throws ApiError 404 */
export async function readPlatformAudit(_call: AdministratorCall, id: string): Promise<PlatformAuditEntry> {
  return entry<Row<PlatformAuditEntry>>(platformView, [sql`a.id = ${id}::uuid`]);
}

/** All pages of the project's entries, for an export. */
export function walkAudit(call: ProjectCall, filters: AuditFilters): AsyncGenerator<readonly AuditEntry[]> {
  return walk((paging) => listAudit(call, { ...filters, ...paging }));
}

/** All pages of the platform's entries, for an export. */
export function walkPlatformAudit(
  call: AdministratorCall,
  filters: PlatformFilters,
): AsyncGenerator<readonly PlatformAuditEntry[]> {
  return walk((paging) => listPlatformAudit(call, { ...filters, ...paging }));
}

/** The latest changes of the project's resources: what was done and by whom, no refusals and no network addresses. */
export async function listActivity(
  call: ProjectCall,
  { limit, cursor, ...filters }: Pick<AuditFilters, 'resource_type' | 'resource_id'> & Paging,
): Promise<Page<Activity>> {
  const page = await keysetPage<ActivityRow>({
    select: raw(
      `a.id, a.at, a.actor_type, CASE WHEN a.actor_type = 'user' THEN coalesce(u.name, 'a former member') ELSE a.actor_name END
         AS actor_name, a.action, a.resource_type, a.resource_id, a.resource_name`,
    ),
    from: raw(`audit_entries a LEFT JOIN users u ON u.id = CASE WHEN a.actor_type = 'user' THEN a.actor_id::uuid END`),
    where: [ofProject(call.project_id), raw('a.activity'), ...conditions(filters, tenantView)],
    limit,
    cursor,
    ...newestFirst,
  });
  return page.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
}

const newestFirst = { sort: '-at', id: raw('a.id') };
const EXPORT_PAGE = 1000;

async function entries<R extends { id: string } & Moments>(
  view: View,
  scope: readonly Sql[],
  { limit, cursor, ...filters }: AuditFilters & Paging,
) {
  const where = [...scope, ...conditions(filters, view)];
  const page = await keysetPage<R>({ select: view.select, from: view.from, where, limit, cursor, ...newestFirst });
  return page.map(onWire);
}

async function entry<R extends Moments>(view: View, where: readonly Sql[]) {
  const row = await queryOne<R>(sql`SELECT ${view.select} FROM ${view.from} WHERE ${join(where, ' AND ')}`);
  if (!row) throw notFound('The audit entry', '');
  return onWire(row);
}

type Moments = { at: Date; last_at: Date | null };

function onWire<R extends Moments>(row: R) {
  return { ...row, at: row.at.toISOString(), last_at: row.last_at?.toISOString() ?? null };
}

function conditions(filters: AuditFilters, { actor_id, actor_name }: View): Sql[] {
  const { actor, search, from, to } = filters;
  const where: Sql[] = [];
  for (const column of ['action', 'resource_type', 'resource_id', 'request_id', 'result'] as const) {
    if (filters[column] !== undefined) where.push(sql`${raw(`a.${column}`)} = ${filters[column]}::text`);
  }
  if (from !== undefined) {
    // Reads that share an entry lie within an hour: the bound on `at` is for the index.
    const since = sql`${new Date(from)}::timestamptz`;
    where.push(sql`a.at >= ${since} - interval '1 hour' AND coalesce(a.last_at, a.at) >= ${since}`);
  }
  if (to !== undefined) where.push(sql`a.at < ${new Date(to)}::timestamptz`);
  if (actor !== undefined) where.push(sql`(${raw(actor_id)} = ${actor}::text OR ${contains(actor_name, actor)})`);
  if (search !== undefined) {
    const columns = ['a.action', actor_name, 'a.resource_name', 'a.resource_id'];
    const anywhere = columns.map((column) => contains(`coalesce(${column}, '')`, search));
    where.push(sql`(${join(anywhere, ' OR ')})`);
  }
  return where;
}

async function* walk<Item>(page: (paging: Paging) => Promise<Page<Item>>): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined;
  do {
    const { items, next } = await page({ limit: EXPORT_PAGE, cursor });
    yield items;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}
