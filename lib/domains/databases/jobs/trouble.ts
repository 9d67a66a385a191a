import { reasonOf } from '@/lib/engines/error';
import { MemberError } from '../cluster/member-error';

/** What ends an upgrade or its way back for a reason that the tenant should read. */
export class UpgradeTrouble extends Error {
  override name = 'UpgradeTrouble';
}

/** What connections to a member that ended fail with. */
const ENDED = ['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ENOENT', 'ETIMEDOUT'];
/** What PostgreSQL says while it stops, after a crash, and until it has recovered. */
const RECOVERING = ['57P01', '57P02', '57P03'];

/** Whether a member ended, or did not answer. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof MemberError) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return [...ENDED, ...RECOVERING].some((one) => one === code) || error.message.startsWith('Connection terminated');
}

/** Why an upgrade is taken back, as its owner reads it. */
export const reasonOfUpgrade = (error: unknown): string =>
  isUnreachable(error)
    ? 'A member of the cluster ended, or did not answer, several times in a row. Start the upgrade again once the cluster is available.'
    : reasonOf(error);
