import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { Gate } from './gate';

declare global {
  // One gate a process, also where a bundler loads this file twice: they share the same processor and threads.
  var nepheleHashing: Gate | undefined;
}

/** argon2id (RFC 9106) as OWASP asks for; memory in KiB. About 20 ms of one core. */
const cost = { memoryCost: 47_104, timeCost: 1, parallelism: 1, outputLen: 32 };

/** Nobody's hash, at the present cost: checking a password against it takes what checking a real one takes. */
const nobody = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Hashes are made by few at a time, so that a flood of sign-ins leaves the API its processor and its threads. */
function gate(): Gate {
  globalThis.nepheleHashing ??= new Gate(Math.min(3, Math.max(1, availableParallelism() - 1)), 200);
  return globalThis.nepheleHashing;
}

/** The hash to store. */
export function hashPassword(password: string): Promise<string> {
  return gate().run(() => hash(password, cost));
}

/**
 * Whether the password belongs to the hash. Without a hash, because there is no such account, it works as long and
 * says no.
 */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  const usable = stored?.startsWith('$argon2') ? stored : undefined;
  const matches = await gate().run(() => verify(usable ?? nobody, password));
  return matches && usable !== undefined;
}

/** Whether a hash was made at another cost than today's, so that the next sign-in should make it anew. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism, outputLen } = parseOptions(stored);
  const { memoryCost: memory, timeCost: time, parallelism: lanes, outputLen: length } = cost;
  return memoryCost !== memory || timeCost !== time || parallelism !== lanes || outputLen !== length;
}

/** Letters and digits that nobody mistakes for one another. */
const readable = '23456789abcdefghjkmnpqrstuvwxyz';

/** A password of about 99 bits that a person can read off a screen: `k7wp-3mzx-…`. */
export function generatePassword(): string {
  const group = () => Array.from({ length: 4 }, () => readable[randomInt(readable.length)]).join('');
  return Array.from({ length: 5 }, group).join('-');
}
