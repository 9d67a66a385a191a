import { now } from '@/lib/clock';
import { auditInsert } from '@/lib/core/audit/entry';
import { execute } from '@/lib/core/db/pool';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import { type Account, findByEmail } from './account';
import { forgetFailures } from './attempts';
import { newPassword } from './new-password';
import { generatePassword, hashPassword } from './passwords';
import { secondFactorOff } from './second-factor';

const always = raw('(SELECT 1) AS always WHERE true');

/**
 * Sets a new password for a person, from the host, and ends all their sessions and API tokens.
 * @returns the password, to be shown once
 * @throws Error when no account has this e-mail address
 */
export async function resetPassword(email: string): Promise<string> {
  const password = generatePassword();
  const hash = await hashPassword(password);
  await recover(email, 'user.reset_password', ({ id }) =>
    newPassword(id, hash, always, { ending_tokens: true, initial: true }),
  );
  return password;
}

/**
 * Removes a person's second factor, from the host, and ends all their sessions.
 * @throws Error when no account has this e-mail address
 */
export async function resetSecondFactor(email: string): Promise<void> {
  await recover(email, 'user.reset_second_factor', ({ id }) => secondFactorOff(id, always, { ending_sessions: true }));
}

/** Writes the change and its audit entry and clears failed attempts, in one statement. */
async function recover(
  email: string,
  action: string,
  changes: (account: Account) => Record<string, Sql>,
): Promise<void> {
  const account = await findByEmail(email.trim().toLowerCase(), 'tenant');
  if (!account) throw new Error(`No account has the e-mail address ${email}.`);
  const pieces = Object.entries({ ...changes(account), forgotten: forgetFailures(account.email) });
  const audit = auditInsert(
    { at: now(), caller: undefined, address: null, request_id: null },
    {
      action,
      actor: { actor_type: 'host', actor_id: null, actor_name: settings().hostId },
      project_id: null,
      result: 'succeeded',
      status: 200,
      resource: { type: 'user', id: account.id, name: account.email },
    },
  );
  const ctes = join(
    pieces.map(([name, piece]) => sql`${raw(name)} AS (${piece})`),
    ', ',
  );
  await execute(sql`WITH ${ctes} ${audit}`);
}
