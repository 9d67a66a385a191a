import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let dataDir: string;

/** Simulates a new process for the keyring. */
async function freshProcess(env: Record<string, string> = {}) {
  vi.resetModules();
  vi.stubEnv('DATA_DIR', dataDir);
  for (const [name, value] of Object.entries({ JWT_KEYS: '', ENCRYPTION_KEYS: '', ...env })) vi.stubEnv(name, value);
  return { ...(await import('./keyring')), ...(await import('./runtime/keys')) };
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'nephele-keyring-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true });
});

it('keys are generated once, readable by their owner only, and survive restarts', async () => {
  const first = await freshProcess();
  first.ensureKeys();
  const [signing, encryption] = [first.signingKeys().current, first.encryptionKeys().current];
  expect(signing.secret).toHaveLength(32);
  expect(signing.secret).not.toEqual(encryption.secret);
  expect(statSync(join(dataDir, 'keys')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(dataDir, 'keys')).sort()).toEqual(['encryption.json', 'signing.json']);
  for (const name of ['encryption.json', 'signing.json']) {
    expect(statSync(join(dataDir, 'keys', name)).mode & 0o777).toBe(0o600);
  }

  const second = await freshProcess();
  second.ensureKeys();
  expect(second.signingKeys().current).toEqual(signing);
  expect(second.encryptionKeys().current).toEqual(encryption);
});

it('a rotation reaches a running process at once for an unknown id, and the old key stays valid', async () => {
  const running = await freshProcess();
  running.ensureKeys();
  const old = running.signingKeys().current;
  const operator = await freshProcess();
  const freshId = operator.rotateKeys('signing');
  expect(operator.signingKeys().current.id).toBe(freshId);
  expect(running.signingKeys().byId(freshId)?.secret).toHaveLength(32);
  expect(running.signingKeys().current.id).toBe(freshId);
  expect(running.signingKeys().byId(old.id)).toEqual(old);
  expect(running.signingKeys().byId('never-made')).toBeUndefined();
});

it('keys from the environment take precedence, are not written to disk, and are not rotated here', async () => {
  const secret = Buffer.alloc(32, 7).toString('base64url');
  const given = await freshProcess({ JWT_KEYS: `new:${secret},old:${secret}`, ENCRYPTION_KEYS: `only:${secret}` });
  given.ensureKeys();
  expect(readdirSync(dataDir)).toEqual([]);
  expect(given.signingKeys().current.id).toBe('new');
  expect(given.signingKeys().byId('old')?.secret[0]).toBe(7);
  expect(() => given.rotateKeys('encryption')).toThrow('ENCRYPTION_KEYS');
});

it('a damaged key file stops the platform and is never replaced', async () => {
  const first = await freshProcess();
  first.ensureKeys();
  const path = join(dataDir, 'keys', 'signing.json');
  writeFileSync(path, '[]');
  const second = await freshProcess();
  second.ensureKeys();
  expect(() => second.signingKeys()).toThrow(`${path} is damaged`);
  expect(readFileSync(path, 'utf8')).toBe('[]');
});
