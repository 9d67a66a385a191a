import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { givenKeys, type Key, type KeyPurpose, type Keys, keyPath, keyPurposes, readKeys } from '@/lib/keyring';

/** Creates keys that neither the environment nor an earlier start has set. Never replaces one. */
export function ensureKeys(): void {
  for (const purpose of keyPurposes) {
    if (!givenKeys(purpose)) writeKeys(keyPath(purpose), [newKey()], linkIfAbsent);
  }
}

/**
 * Adds a new key as the current one. Running processes pick it up within a second, and older keys stay valid.
 * @returns the new key's id
 */
export function rotateKeys(purpose: KeyPurpose): string {
  if (givenKeys(purpose)) {
    throw new Error(`These keys are set in ${environmentName[purpose]}. Put the new key first there.`);
  }
  const fresh = newKey();
  writeKeys(keyPath(purpose), [fresh, ...readKeys(purpose)], renameSync);
  return fresh.id;
}

/** Deletes older encryption keys. The caller must have checked that nothing needs them. @returns their ids */
export function dropOlderKeys(purpose: KeyPurpose): string[] {
  if (givenKeys(purpose))
    throw new Error(`These keys are set in ${environmentName[purpose]}. Remove the older keys there.`);
  const [current, ...older] = readKeys(purpose);
  if (older.length > 0) writeKeys(keyPath(purpose), [current], renameSync);
  return older.map(({ id }) => id);
}

const environmentName = { signing: 'JWT_KEYS', encryption: 'ENCRYPTION_KEYS' } as const;

function newKey(): Key {
  const day = new Date().toISOString().slice(0, 10);
  return { id: `${day}-${randomBytes(4).toString('hex')}`, secret: new Uint8Array(randomBytes(32)) };
}

/** Writes the file atomically and durably: a lost key means lost data. */
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
