import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { settings } from '@/lib/settings';

/** A symmetric key of 32 bytes; tokens and envelopes carry its id. */
export type Key = { id: string; secret: Uint8Array };

/** The key to sign or encrypt with now, and every key that may still verify or decrypt. */
export type Keyring = { current: Key; byId(id: string): Key | undefined };

/** What a keyring is for: signing of tokens, or encryption of stored secrets. */
export const keyPurposes = ['signing', 'encryption'] as const;
export type KeyPurpose = (typeof keyPurposes)[number];

type Keys = [current: Key, ...older: Key[]];

const key = z.object({
  id: z.string(),
  secret: z
    .string()
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64url')))
    .refine((secret) => secret.length === 32, 'a secret has 32 bytes in base64url'),
});
const keyFile = z.tuple([key], key);

/** The keys that access tokens and sessions are signed with. */
export function signingKeys(): Keyring {
  return keyring('signing');
}

/** The key-encryption keys of stored secrets. */
export function encryptionKeys(): Keyring {
  return keyring('encryption');
}

/** Writes the keys that neither the environment nor an earlier start gave. Never replaces one. */
export function ensureKeys(): void {
  for (const purpose of keyPurposes) {
    if (!fromEnvironment(purpose)) writeKeys(pathOf(purpose), [newKey()], linkIfAbsent);
  }
}

/**
 * Puts a new key in front; running processes follow within a second, and the older keys stay valid.
 * @returns the new key's id
 */
export function rotateKeys(purpose: KeyPurpose): string {
  if (fromEnvironment(purpose)) {
    throw new Error(`${environmentName[purpose]} holds these keys: put the new one in front of it there`);
  }
  const fresh = newKey();
  writeKeys(pathOf(purpose), [fresh, ...readKeys(purpose)], renameSync);
  return fresh.id;
}

const environmentName = { signing: 'JWT_KEYS', encryption: 'ENCRYPTION_KEYS' } as const;
const fromEnvironment = (purpose: KeyPurpose) =>
  purpose === 'signing' ? settings().jwtKeys : settings().encryptionKeys;
const pathOf = (purpose: KeyPurpose) => join(settings().dataDir, 'keys', `${purpose}.json`);

function keyring(purpose: KeyPurpose): Keyring {
  const find = (id: string, freshMs: number) => keysOf(purpose, freshMs).find((candidate) => candidate.id === id);
  return { current: keysOf(purpose, 1000)[0], byId: (id) => find(id, 1000) ?? find(id, 0) };
}

type Read = { keys: Keys; version: string; checkedAt: number };
const lastRead = new Map<KeyPurpose, Read>();

/** The file is looked at again when that was more than `freshMs` ago, so that a rotation reaches running processes. */
function keysOf(purpose: KeyPurpose, freshMs: number): Keys {
  const given = fromEnvironment(purpose);
  if (given) return given;
  const known = lastRead.get(purpose);
  if (known && Date.now() - known.checkedAt < freshMs) return known.keys;
  const { ino, mtimeMs } = statSync(pathOf(purpose));
  const version = `${ino} ${mtimeMs}`;
  const keys = known?.version === version ? known.keys : readKeys(purpose);
  lastRead.set(purpose, { keys, version, checkedAt: Date.now() });
  return keys;
}

function readKeys(purpose: KeyPurpose): Keys {
  const path = pathOf(purpose);
  const result = keyFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!result.success) throw new Error(`${path} is damaged; restore it from a backup`, { cause: result.error });
  return result.data;
}

function newKey(): Key {
  const day = new Date().toISOString().slice(0, 10);
  return { id: `${day}-${randomBytes(4).toString('hex')}`, secret: new Uint8Array(randomBytes(32)) };
}

/** The file appears whole and on disk, or not at all: whoever loses a key loses what it encrypted. */
function writeKeys(path: string, keys: Keys, publish: (from: string, to: string) => void): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const entries = keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret).toString('base64url') }));
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(entries, null, 2)}\n`);
    fsyncSync(file);
    publish(draft, path);
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
  const directory = openSync(folder, 'r');
  fsyncSync(directory);
  closeSync(directory);
}

function linkIfAbsent(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
