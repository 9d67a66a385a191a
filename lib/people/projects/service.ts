import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { contains, equals, listOf, ofAllTenants } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { accountInsert } from '@/lib/core/quota/account-rows';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { type Dimension, defaultLimits, dimensions } from '@/lib/core/quota/dimensions';
import { newAcceptance, shownAcceptance } from '@/lib/people/identity/acceptance-code';
import { hashPassword } from '@/lib/people/identity/passwords';
import { adminRows } from './admins';
import {
  type AddedAdmin,
  type CreatedTenant,
  type CreateTenant,
  type NewAdmin,
  type Tenant,
  tenantQuery,
} from './schema';

type Row = Omit<Tenant, 'quota' | 'suspended_at' | 'created_at' | 'updated_at'> & {
  suspended_at: Date | null;
  created_at: Date;
  updated_at: Date;
} & Record<`${Dimension}_limit`, string> &
  Partial<Record<`${Dimension}_used`, string>>;

const columns =
  raw(`projects.id, name, slug, status, suspended_at, suspension_reason, projects.created_at, projects.updated_at,
  (SELECT count(*)::int FROM memberships m WHERE m.project_id = projects.id) AS members,
  ${dimensions.map((dimension) => `a.${dimension}_limit, a.${dimension}_used`).join(', ')}`);
const from = raw('projects JOIN project_accounts a ON a.project_id = projects.id');

function view(row: Row): Sendable<Tenant> {
  const share = (dimension: Dimension) => ({
    limit: JsonNumber.decimal(row[`${dimension}_limit`]),
    used: JsonNumber.decimal(row[`${dimension}_used`] ?? 0),
  });
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    status: row.status,
    suspended_at: row.suspended_at?.toISOString() ?? null,
    suspension_reason: row.suspension_reason,
    members: row.members,
    quota: {
      vcpus: share('vcpus'),
      ram_gb: share('ram_gb'),
      storage_tb: share('storage_tb'),
      instances: share('instances'),
      volumes: share('volumes'),
      databases: share('databases'),
      serverless_functions: share('serverless_functions'),
      airflow_dags: share('airflow_dags'),
      api_gateways: share('api_gateways'),
    },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** All tenants of the platform. */
export const listTenants = listOf({
  query: tenantQuery,
  columns,
  from,
  id: 'projects.id',
  where: ofAllTenants,
  filters: {
    search: contains('name', 'slug', 'projects.id::text'),
    status: equals('status'),
    slug: equals('slug'),
  },
  sort: { name: 'name', slug: 'slug' },
  view,
});

/** One tenant. @throws ApiError 404 */
export async function readTenant(_call: AdministratorCall, id: string): Promise<Sendable<Tenant>> {
  const row = await queryOne<Row>(sql`SELECT ${columns} FROM ${from} WHERE projects.id = ${id}::uuid`);
  if (!row) throw notFound('The tenant', '');
  return view(row);
}

/**
 * Creates a tenant with the default limits and its first admin, who is invited if they already have an account.
 * @throws ApiError 409 when the slug is taken
 */
export async function createTenant(call: AdministratorCall, input: CreateTenant): Promise<Sendable<CreatedTenant>> {
  const { name, slug, admin } = input;
  const project = { id: newId(), name, slug, status: 'active' as const, created_at: call.at, updated_at: call.at };
  const empty = { suspended_at: null, suspension_reason: null, members: 1 };
  const acceptance = newAcceptance(project.id, call.at);
  const created = { ...view({ ...project, ...empty, ...defaultLimits }), ...shownAcceptance(acceptance) };
  const password_hash = await hashPassword(admin.password);
  await commit(call, {
    project_id: project.id,
    resource: { type: 'tenant', id: project.id, name: slug },
    taken: {
      when: sql`EXISTS (SELECT FROM projects WHERE slug = ${slug}::text)`,
      message: `slug: tenant "${slug}" already exists.`,
    },
    rows: {
      project: insert<Prisma.ProjectUncheckedCreateInput>('projects', project, ifAdmitted),
      account: accountInsert({ project_id: project.id, ...defaultLimits }, ifAdmitted),
      ...adminRows(call, project.id, { id: newId(), email: admin.email, name: admin.name, password_hash }, acceptance),
    },
    details: { name, admin: admin.email },
    answer: { status: 201, body: created },
  });
  return created;
}

/**
 * Adds an admin to a tenant in the same way as its first one, for example when that one declined or left. A person
 * already invited gets a new code. @throws ApiError 404, 409 when they are already its admin
 */
export async function addAdmin(call: AdministratorCall, id: string, admin: NewAdmin): Promise<AddedAdmin> {
  const { slug } = await readTenant(call, id);
  const { email, name, password } = admin;
  const person = { id: newId(), email, name, password_hash: await hashPassword(password) };
  const acceptance = newAcceptance(id, call.at);
  const isAdmin = sql`EXISTS (SELECT FROM users u JOIN memberships m ON m.user_id = u.id AND m.status = 'active'
    JOIN role_assignments r ON r.project_id = m.project_id AND r.user_id = u.id
    WHERE u.email = ${email}::text AND m.project_id = ${id}::uuid AND r.role = 'admin')`;
  await commit(call, {
    project_id: id,
    resource: { type: 'tenant', id, name: slug },
    topic: 'user',
    taken: { when: isAdmin, message: `email: ${email} is already an admin of this tenant.` },
    rows: adminRows(call, id, person, acceptance),
    details: { admin: email },
  });
  const added = await queryOne<{ user_id: string; status: AddedAdmin['status'] }>(
    sql`SELECT u.id AS user_id, m.status FROM users u JOIN memberships m ON m.user_id = u.id
        WHERE u.email = ${email}::text AND m.project_id = ${id}::uuid`,
  );
  if (!added) throw notFound('The admin', '');
  const account = added.user_id === person.id ? 'created' : 'existing';
  return { ...added, email, account, ...shownAcceptance(acceptance) };
}

/** Renames a tenant; its slug stays, because scripts and addresses use it. @throws ApiError 404 */
export async function renameTenant(call: AdministratorCall, id: string, name: string): Promise<Sendable<Tenant>> {
  await change(call, id, {
    allowed: raw('true'),
    set: sql`name = ${name}::text`,
    details: sql`(SELECT jsonb_build_object('name', jsonb_build_object('old', target.name, 'new', ${name}::text)) FROM target)`,
  });
  return readTenant(call, id);
}

/**
 * Suspends a tenant: its API and its people's sign-in are refused from the very next request. Stored data stays and is
 * billed. @throws ApiError 404, 409 when already suspended
 */
export async function suspendTenant(call: AdministratorCall, id: string, reason: string): Promise<Sendable<Tenant>> {
  await change(call, id, {
    allowed: raw(`p.status = 'active'`),
    set: sql`status = 'suspended', suspended_at = ${call.at}::timestamptz, suspension_reason = ${reason}::text`,
    details: { reason },
  });
  return readTenant(call, id);
}

/** Resumes a suspended tenant. @throws ApiError 404, 409 when it is not suspended */
export async function resumeTenant(call: AdministratorCall, id: string): Promise<Sendable<Tenant>> {
  await change(call, id, {
    allowed: raw(`p.status = 'suspended'`),
    set: raw(`status = 'active', suspended_at = NULL, suspension_reason = NULL`),
    details: sql`(SELECT jsonb_build_object('suspended_at', target.suspended_at, 'reason', target.suspension_reason) FROM target)`,
  });
  return readTenant(call, id);
}

async function change(
  call: AdministratorCall,
  id: string,
  to: { allowed: Sql; set: Sql; details: Record<string, unknown> | Sql },
): Promise<void> {
  const { slug } = await readTenant(call, id);
  await commit(call, {
    project_id: id,
    resource: { type: 'tenant', id, name: slug },
    // A weaker lock than FOR UPDATE, so that the tenant's own writes, which refer to this row, need not wait.
    target: sql`SELECT ${to.allowed} AS allowed, p.status AS state, p.name, p.suspended_at, p.suspension_reason
                FROM k JOIN projects p ON p.id = k.project_id FOR NO KEY UPDATE OF p`,
    forbidden: (state) => `The tenant is already ${state}.`,
    rows: {
      project: sql`UPDATE projects SET ${to.set}, updated_at = ${call.at}::timestamptz
                   FROM ${ifAdmitted} AND projects.id = ${id}::uuid`,
    },
    details: to.details,
  });
}
