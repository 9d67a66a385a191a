import { createHash } from 'node:crypto';
import { lettersOf, newReadableCode } from './readable-code';

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** A new acceptance code of an invitation: shown to the inviter once, stored as a hash. */
export type Acceptance = { code: string; hash: Buffer; expires_at: Date };

/** The inviter's view of the code in an API answer. */
export type ShownAcceptance = { acceptance_code: string; acceptance_expires_at: string };

/** A code for joining the project, valid for seven days from `at`. */
export function newAcceptance(projectId: string, at: Date): Acceptance {
  const code = newReadableCode();
  return { code, hash: acceptanceHash(projectId, code), expires_at: new Date(at.getTime() + LIFETIME_MS) };
}

/** The stored form of a code; 80 random bits need no slow hash. */
export function acceptanceHash(projectId: string, code: string): Buffer {
  return createHash('sha256')
    .update(`${projectId}\n${lettersOf(code)}`)
    .digest();
}

export function shownAcceptance({ code, expires_at }: Acceptance): ShownAcceptance {
  return { acceptance_code: code, acceptance_expires_at: expires_at.toISOString() };
}
