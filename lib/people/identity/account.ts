import { queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';

export type Realm = 'tenant' | 'backoffice';

/** A person with what sign-in and second factor need. Never leaves this folder. */
export type Account = {
  id: string;
  email: string;
  name: string;
  administrator: boolean;
  password_hash: string;
  session_epoch: number;
  /** Sealed. */
  totp_secret: Buffer | null;
  totp_activated_at: Date | null;
  created_at: Date;
  updated_at: Date;
  /** Counts of memberships: all, and active ones by the status of their project. */
  memberships: number;
  open_projects: number;
  suspended_projects: number;
  /** The platform time of the read, for checking TOTP codes. */
  read_at: Date;
};

const columns = raw(`u.id, u.email, u.name, u.administrator, u.password_hash, u.session_epoch, u.totp_secret,
  u.totp_activated_at, u.created_at, u.updated_at, m.memberships, m.open_projects, m.suspended_projects,
  platform_now() AS read_at`);

function find(condition: Sql): Promise<Account | undefined> {
  return queryOne<Account>(sql`
    SELECT ${columns} FROM users u CROSS JOIN LATERAL (
      SELECT count(*)::int AS memberships,
        (count(*) FILTER (WHERE m.status = 'active' AND p.status = 'active'))::int AS open_projects,
        (count(*) FILTER (WHERE m.status = 'active' AND p.status = 'suspended'))::int AS suspended_projects
      FROM memberships m JOIN projects p ON p.id = m.project_id WHERE m.user_id = u.id) m
    WHERE ${condition}`);
}

/** The account with this e-mail in a realm; the back office only knows administrators. */
export function findByEmail(email: string, realm: Realm): Promise<Account | undefined> {
  return find(sql`u.email = ${email}::text AND (${realm}::text = 'tenant' OR u.administrator)`);
}

export function findById(id: string): Promise<Account | undefined> {
  return find(sql`u.id = ${id}::uuid`);
}
