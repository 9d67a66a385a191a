import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { conflict } from '@/lib/core/api/errors';
import { sessionCookies } from '@/lib/people/identity/cookies';
import { ownProfile } from '@/lib/people/identity/own-account';
import { disableSecondFactor } from '@/lib/people/identity/second-factor';
import { settings } from '@/lib/settings';
import type { AdministratorProfile } from './schema';

/** The caller's profile. */
export async function readProfile(call: AdministratorCall): Promise<AdministratorProfile> {
  return { ...(await ownProfile(call)), second_factor_required: settings().adminRequireTotp };
}

/**
 * Removes the caller's second factor, unless the operator requires one.
 * @throws ApiError 401 for a wrong code, 409 when none is in force, or one is required
 */
export async function disableOwnSecondFactor(call: AdministratorCall, code: string): Promise<void> {
  if (settings().adminRequireTotp) {
    throw conflict(
      'Administrators of this platform must use two-factor authentication. Another administrator can reset a lost one.',
    );
  }
  await disableSecondFactor(call, code);
}

/** The back office's cookie with a lifetime in seconds; an empty token with 0 seconds clears it. */
export function sessionCookie(token: string, seconds: number): string {
  const { backoffice, backofficeSecure: secure } = sessionCookies();
  return `${backoffice}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
