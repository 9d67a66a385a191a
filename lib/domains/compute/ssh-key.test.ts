import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateKeyPair, isPublicKey, readPublicKey } from './ssh-key';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nephele-ssh-key-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** OpenSSH itself is the judge; a machine without it proves less. */
const hasOpenSsh = spawnSync('ssh-keygen', ['-?']).error === undefined;
const sshKeygen = (...args: string[]) => execFileSync('ssh-keygen', args, { cwd: folder, encoding: 'utf8' });

test.skipIf(!hasOpenSsh)(
  'a generated pair is one for OpenSSH: it reads the private half and finds the public half in it',
  () => {
    const pair = generateKeyPair('web key');
    writeFileSync(join(folder, 'generated'), pair.private_key, { mode: 0o600 });
    expect(sshKeygen('-y', '-f', 'generated').trim()).toBe(pair.public_key);
    writeFileSync(join(folder, 'generated.pub'), `${pair.public_key}\n`);
    expect(sshKeygen('-l', '-f', 'generated.pub')).toContain(readPublicKey(pair.public_key)?.fingerprint);
  },
);

describe('a public key of OpenSSH', () => {
  test.skipIf(!hasOpenSsh).each([
    ['ed25519', []],
    ['rsa', ['-b', '2048']],
    ['ecdsa', ['-b', '521']],
  ])('of type %s is taken, with its fingerprint', (type, options) => {
    sshKeygen('-q', '-t', type, ...options, '-N', '', '-C', 'ada@example.org', '-f', type);
    const line = execFileSync('cat', [join(folder, `${type}.pub`)], { encoding: 'utf8' }).trim();
    expect(sshKeygen('-l', '-f', `${type}.pub`)).toContain(readPublicKey(line)?.fingerprint);
    expect(isPublicKey(line.split(' ').slice(0, 2).join(' '))).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['a private key', generateKeyPair('x').private_key],
    ['two lines', `${generateKeyPair('x').public_key}\n${generateKeyPair('y').public_key}`],
    ['a key cut off', generateKeyPair('x').public_key.slice(0, 50)],
    ['options before it', `command="rm" ${generateKeyPair('x').public_key}`],
    ['another type than it says', generateKeyPair('x').public_key.replace('ssh-ed25519', 'ssh-rsa')],
    ['an unknown type', 'ssh-dss AAAAB3NzaC1kc3MAAAAA'],
  ])('is not %s', (_, text) => expect(isPublicKey(text)).toBe(false));

  test.skipIf(!hasOpenSsh)('is not an RSA key that is too short', () => {
    sshKeygen('-q', '-t', 'rsa', '-b', '1024', '-N', '', '-f', 'short');
    expect(isPublicKey(execFileSync('cat', [join(folder, 'short.pub')], { encoding: 'utf8' }).trim())).toBe(false);
  });
});
