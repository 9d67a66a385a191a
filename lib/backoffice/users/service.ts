import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofAllTenants, oneOf } from '@/lib/core/api/list';
import { queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { endAllSessions } from '@/lib/people/identity/sessions';
import { type PlatformUser, userQuery } from './schema';

type Row = Omit<PlatformUser, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const columns = raw(`u.id, u.email, u.name, u.administrator, u.totp_activated_at IS NOT NULL AS two_factor_enabled,
  u.email_verified_at IS NOT NULL AS email_verified,
  u.created_at, u.updated_at,
  (SELECT coalesce(json_agg(json_build_object('project_id', p.id, 'tenant_name', p.name, 'tenant_slug', p.slug,
      'tenant_status', p.status, 'status', m.status, 'roles',
      ARRAY(SELECT r.role FROM role_assignments r WHERE r.project_id = m.project_id AND r.user_id = m.user_id
            ORDER BY array_position(ARRAY['admin', 'member', 'reader'], r.role))) ORDER BY m.created_at, p.id), '[]')
   FROM memberships m JOIN projects p ON p.id = m.project_id WHERE m.user_id = u.id) AS memberships`);

function view(row: Row): PlatformUser {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

/** All accounts of the platform. */
export const listPeople = listOf({
  query: userQuery,
  columns,
  from: raw('users u'),
  id: 'u.id',
  where: ofAllTenants,
  filters: {
    search: contains('u.email', 'u.name', 'u.id::text'),
    email: equals('u.email'),
    tenant_id: (id) => sql`EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id AND m.project_id = ${id}::uuid)`,
    administrator: oneOf({ true: 'u.administrator', false: 'NOT u.administrator' }),
  },
  sort: { email: 'u.email', name: 'u.name' },
  view,
});

/** One account. @throws ApiError 404 */
export async function readPerson(_call: AdministratorCall, id: string): Promise<PlatformUser> {
  const row = await queryOne<Row>(sql`SELECT ${columns} FROM users u WHERE u.id = ${id}::uuid`);
  if (!row) throw notFound('The user', '');
  return view(row);
}

/** Signs a person out everywhere, in both realms, from the very next request. API tokens stay. @throws ApiError 404 */
export async function endSessionsOf(call: AdministratorCall, id: string): Promise<void> {
  const { email } = await readPerson(call, id);
  await commit(call, {
    resource: { type: 'user', id, name: email },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN users u ON u.id = ${id}::uuid FOR NO KEY UPDATE OF u`,
    rows: { ended: endAllSessions(id, ifAdmitted) },
    answer: { status: 204, body: undefined },
  });
}
