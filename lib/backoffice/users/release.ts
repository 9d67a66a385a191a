import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { addressChange, endLinks } from '@/lib/people/identity/account-rows';
import { newReadableCode } from '@/lib/people/identity/readable-code';
import { endInvitations } from '@/lib/people/members/member-rows';
import type { PlatformUser } from './schema';
import { readPerson } from './service';

/** A domain that never receives mail (RFC 6761). */
const RELEASED = '@released.invalid';

/**
 * Releases the e-mail address of an account that somebody else created: the account keeps its password, sessions and
 * projects under another login. Its open invitations and mailed links end, because they are meant for the address's
 * owner.
 * @throws ApiError 404, 409 for an administrator and for an address already released
 */
export async function releaseEmail(call: AdministratorCall, id: string): Promise<PlatformUser> {
  const { email } = await readPerson(call, id);
  const renamed = `released-${newReadableCode()}${RELEASED}`;
  await commit(call, {
    resource: { type: 'user', id, name: email },
    project_id: null,
    target: sql`SELECT NOT u.administrator AND u.email = ${email}::text AND NOT u.email LIKE ${`%${RELEASED}`}::text AS allowed,
                  CASE WHEN u.administrator THEN 'administrator' ELSE 'released' END AS state
                FROM k JOIN users u ON u.id = ${id}::uuid FOR UPDATE OF u`,
    forbidden: (state) =>
      state === 'administrator'
        ? `${email} is an administrator. Remove the account from the administrators first.`
        : `${email} has been released already.`,
    rows: {
      renamed: addressChange(id, renamed, call.at, ifAdmitted),
      invitations_gone: endInvitations(id, ifAdmitted),
      links_gone: endLinks(id, ifAdmitted),
    },
    details: { email: { old: email, new: renamed } },
  });
  return readPerson(call, id);
}
