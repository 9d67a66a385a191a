import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { settings } from '@/lib/settings';

/** A symmetric key of 32 bytes; tokens and envelopes carry its id. */
export type Key = { id: string; secret: Uint8Array };

/** The current key for signing or encrypting, and all keys that may still verify or decrypt. */
export type Keyring = { current: Key; byId(id: string): Key | undefined };

/** The purpose of a keyring: signing tokens, or encrypting stored secrets. */
export const keyPurposes = ['signing', 'encryption'] as const;
export type KeyPurpose = (typeof keyPurposes)[number];

/** The current key comes first. */
export type Keys = [current: Key, ...older: Key[]];

const key = z.object({
  id: z.string(),
  secret: z
    .string()
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64url')))
    .refine((secret) => secret.length === 32, 'a secret must be 32 bytes in base64url'),
});
const keyFile = z.tuple([key], key);

/** The keys that sign access tokens and sessions. */
export function signingKeys(): Keyring {
  return keyring('signing');
}

/** The key-encryption keys of stored secrets. */
export function encryptionKeys(): Keyring {
  return keyring('encryption');
}

/** The keys set by the operator, in which case there is no file. */
export function givenKeys(purpose: KeyPurpose): Keys | undefined {
  return purpose === 'signing' ? settings().jwtKeys : settings().encryptionKeys;
}

/** The path of generated keys. */
export function keyPath(purpose: KeyPurpose): string {
  return join(settings().dataDir, 'keys', `${purpose}.json`);
}

function keyring(purpose: KeyPurpose): Keyring {
  const find = (id: string, freshMs: number) => keysOf(purpose, freshMs).find((candidate) => candidate.id === id);
  return { current: keysOf(purpose, 1000)[0], byId: (id) => find(id, 1000) ?? find(id, 0) };
}

type Read = { keys: Keys; version: string; checkedAt: number };
const lastRead = new Map<KeyPurpose, Read>();

/** Rereads the file if it was last read more than `freshMs` ago, so that a rotation reaches running processes. */
function keysOf(purpose: KeyPurpose, freshMs: number): Keys {
  const given = givenKeys(purpose);
  if (given) return given;
  const known = lastRead.get(purpose);
  if (known && Date.now() - known.checkedAt < freshMs) return known.keys;
  const { ino, mtimeMs } = statSync(keyPath(purpose));
  const version = `${ino} ${mtimeMs}`;
  const keys = known?.version === version ? known.keys : readKeys(purpose);
  lastRead.set(purpose, { keys, version, checkedAt: Date.now() });
  return keys;
}

/** The ids of all keys of a purpose, current first. @throws when there are none yet */
export function keyIds(purpose: KeyPurpose): string[] {
  return (givenKeys(purpose) ?? readKeys(purpose)).map(({ id }) => id);
}

/** Reads the key file. */
export function readKeys(purpose: KeyPurpose): Keys {
  const path = keyPath(purpose);
  const result = keyFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!result.success) throw new Error(`${path} is damaged; restore it from a backup`, { cause: result.error });
  return result.data;
}
