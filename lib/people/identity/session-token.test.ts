import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { signingKeys } from '@/lib/keyring';
import { signToken, verifyToken } from './session-token';

const at = new Date('2026-11-21T12:00:00.400Z');
const in_ms = (ms: number) => new Date(at.getTime() + ms);
const { id: kid, secret } = signingKeys().current;

/** A forged token that differs from ours as given. */
function forge(changes: { header?: object; claims?: object; key?: Uint8Array } = {}): Promise<string> {
  const claims = {
    iss: 'nephele',
    aud: 'tenant',
    sub: 'someone',
    exp: in_ms(60_000).getTime() / 1000,
    ...changes.claims,
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid, typ: 'JWT', ...changes.header })
    .sign(changes.key ?? secret);
}

test('a token returns its claims until it expires, for its own audience only', async () => {
  const token = await signToken('tenant', { sub: 'someone', sid: 'session' }, at, in_ms(60_000));
  expect(verifyToken('tenant', token, at)).toMatchObject({ sub: 'someone', sid: 'session' });
  expect(verifyToken('tenant', token, in_ms(59_000))).toBeDefined();
  expect(verifyToken('tenant', token, in_ms(60_000))).toBeUndefined();
  for (const other of ['backoffice', 'challenge', 'workload'] as const) {
    expect(verifyToken(other, token, at)).toBeUndefined();
  }
});

describe('a token is refused', () => {
  test.each<[what: string, changes: Parameters<typeof forge>[0]]>([
    ['under another key', { key: new Uint8Array(32) }],
    ['under an unknown key’s id', { header: { kid: 'other' } }],
    ['without a key’s id', { header: { kid: undefined } }],
    ['under another algorithm', { header: { alg: 'HS512' }, key: new Uint8Array(64) }],
    ['with a header that must be understood', { header: { b64: true, crit: ['b64'] } }],
    ['of another issuer', { claims: { iss: 'elsewhere' } }],
    ['for several audiences', { claims: { aud: ['tenant', 'backoffice'] } }],
    ['that never expires', { claims: { exp: undefined } }],
    ['of nobody', { claims: { sub: undefined } }],
  ])('%s', async (_, changes) => {
    expect(verifyToken('tenant', await forge(), at)).toBeDefined();
    expect(verifyToken('tenant', await forge(changes), at)).toBeUndefined();
  });

  test('when any character of it is changed', async () => {
    const token = await forge();
    for (let i = 0; i < token.length; i++) {
      const changed = `${token.slice(0, i)}${token[i] === 'A' ? 'B' : 'A'}${token.slice(i + 1)}`;
      expect(verifyToken('tenant', changed, at), `character ${i}`).toBeUndefined();
    }
  });

  test('when it is unsigned, incomplete or not a token at all', async () => {
    const token = await forge();
    const [head, body, signature] = token.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid, typ: 'JWT' })).toString('base64url');
    const texts = ['', '.', '..', 'x.y.z', `${head}.${body}`, `${head}.${body}.`, `${token}.x`, `${none}.${body}.`];
    for (const text of [...texts, `${none}.${body}.${signature}`, `${head}..${signature}`, `${token}=`, ` ${token}`]) {
      expect(verifyToken('tenant', text, at), text).toBeUndefined();
    }
  });
});
