import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { Gate } from './gate';

declare global {
  // One gate per process, even if a bundler loads this file twice: both copies share processor and threads.
  var nepheleHashing: Gate | undefined;
}

/** argon2id (RFC 9106) with OWASP's parameters; memory in KiB. About 20 ms of one core. */
const cost = { memoryCost: 47_104, timeCost: 1, parallelism: 1, outputLen: 32 };

/** A dummy hash at the current cost, so that a check without an account takes as long as a real one. */
const nobody = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Limits concurrent hashing, so that a flood of sign-ins leaves processor time and threads to the API. */
function gate(): Gate {
  globalThis.nepheleHashing ??= new Gate(Math.min(3, Math.max(1, availableParallelism() - 1)), 200);
  return globalThis.nepheleHashing;
}

/** Hashes a password for storage. */
export function hashPassword(password: string): Promise<string> {
  return gate().run(() => hash(password, cost));
}

/**
 * Whether the password matches the hash. Without a hash, for an unknown account, it takes as long and returns false.
 */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  const usable = stored?.startsWith('$argon2') ? stored : undefined;
  const matches = await gate().run(() => verify(usable ?? nobody, password));
  return matches && usable !== undefined;
}

/** Whether a hash has an outdated cost, so that the next sign-in should renew it. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism, outputLen } = parseOptions(stored);
  const { memoryCost: memory, timeCost: time, parallelism: lanes, outputLen: length } = cost;
  return memoryCost !== memory || timeCost !== time || parallelism !== lanes || outputLen !== length;
}

/** Letters and digits without look-alikes. */
const readable = '23456789abcdefghjkmnpqrstuvwxyz';

/** A random password of about 99 bits in readable groups: `k7wp-3mzx-…`. */
export function generatePassword(): string {
  const group = () => Array.from({ length: 4 }, () => readable[randomInt(readable.length)]).join('');
  return Array.from({ length: 5 }, group).join('-');
}
