import type { AdministratorCall } from '@/lib/core/api/endpoint';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { accountInsert, administrationChange, endBackofficeSessions } from '@/lib/people/identity/account-rows';
import { hashPassword } from '@/lib/people/identity/passwords';
import type { CreateAdministrator, PlatformUser } from './schema';
import { readPerson } from './service';

/** Creates an account for a new administrator. @throws ApiError 409 when the e-mail address already has an account */
export async function createAdministrator(
  call: AdministratorCall,
  { email, name, password }: CreateAdministrator,
): Promise<PlatformUser> {
  const id = newId();
  const times = { created_at: call.at.toISOString(), updated_at: call.at.toISOString() };
  const created = {
    id,
    email,
    name,
    administrator: true,
    email_verified: false,
    two_factor_enabled: false,
    memberships: [],
    ...times,
  };
  const account: Prisma.UserUncheckedCreateInput = {
    ...{ id, email, name, administrator: true, password_hash: await hashPassword(password) },
    initial_password: true,
    ...{ created_at: call.at, updated_at: call.at },
  };
  await commit(call, {
    resource: { type: 'administrator', id, name: email },
    taken: {
      when: sql`EXISTS (SELECT FROM users WHERE email = ${email}::text)`,
      message: `email: ${email} already has an account. Make it an administrator with PUT /administrators/{id}.`,
    },
    rows: { account: accountInsert(account, ifAdmitted) },
    answer: { status: 201, body: created },
  });
  return created;
}

/**
 * Makes a person an administrator. Their e-mail address must be verified: an account created by somebody else must not
 * become an administrator. @throws ApiError 404, 409
 */
export async function grantAdministration(call: AdministratorCall, id: string): Promise<PlatformUser> {
  const { email } = await readPerson(call, id);
  await commit(call, {
    resource: { type: 'administrator', id, name: email },
    target: sql`SELECT u.administrator OR u.email_verified_at IS NOT NULL AS allowed, NULL::text AS state
                FROM k JOIN users u ON u.id = ${id}::uuid FOR NO KEY UPDATE OF u`,
    forbidden: () =>
      `No mailed link has shown that ${email} is theirs, so somebody else may have created the account. Let them reset ` +
      'their password by mail, or release the address and create the administrator anew.',
    rows: {
      granted: administrationChange(id, true, call.at, ifAdmitted),
    },
  });
  return readPerson(call, id);
}

/**
 * Removes a person's administrator rights from the very next request; their account stays. Locks all administrators
 * first, so that two who remove each other at once cannot leave none.
 * @throws ApiError 404 when the person is not an administrator, 409 for the last one
 */
export async function removeAdministrator(call: AdministratorCall, id: string): Promise<void> {
  const { email } = await readPerson(call, id);
  await commit(call, {
    resource: { type: 'administrator', id, name: email },
    target: sql`SELECT count(*) > 1 AS allowed, NULL::text AS state FROM k CROSS JOIN (
                  SELECT u.id FROM users u WHERE u.administrator ORDER BY u.id FOR NO KEY UPDATE) AS administrators
                HAVING bool_or(administrators.id = ${id}::uuid)`,
    forbidden: () => `${email} is the last administrator. Add another administrator first.`,
    rows: {
      removed: administrationChange(id, false, call.at, ifAdmitted),
      signed_out: endBackofficeSessions(id, call.at, ifAdmitted),
    },
  });
}
