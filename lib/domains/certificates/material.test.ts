import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { now } from '@/lib/clock';
import { ApiError } from '@/lib/core/api/errors';
import { type TestCertificate, type TestCertificateOptions, testCertificate } from '@/lib/testing/certificates';
import { readMaterial } from './material';

const read = (certificate_pem: string, private_key_pem: string) =>
  readMaterial({ certificate_pem, private_key_pem }, now());

function refusal(certificate: string, key: string): string {
  try {
    read(certificate, key);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
  return 'accepted';
}

let root: TestCertificate;
let middle: TestCertificate;
let leaf: TestCertificate;
beforeAll(async () => {
  root = await testCertificate({ is_authority: true, days: 3650 });
  middle = await testCertificate({ is_authority: true, days: 1000, issuer: root });
  leaf = await testCertificate({ names: ['shop.example.com', '*.Example.com'], issuer: middle });
});

describe('a certificate', () => {
  test('is accepted with its chain, with and without the root', () => {
    const { chain, domains, expiring_at, not_after } = read(leaf.certificate + middle.certificate, leaf.key);
    expect(domains).toEqual(['shop.example.com', '*.example.com']);
    expect(chain.map(({ key }) => key)).toEqual(['EC P-256', 'EC P-256']);
    expect(not_after.getTime() - expiring_at.getTime()).toBe(14 * 86_400_000);
    expect(read(leaf.certificate + middle.certificate + root.certificate, leaf.key).chain).toHaveLength(3);
    expect(read(`\n${leaf.certificate.replaceAll('\n', '\r\n')}\n`, leaf.key).chain).toHaveLength(1);
  });

  test('is refused with its chain in the wrong order, or with a stranger’s', async () => {
    const disordered = 'did not issue certificate 1';
    expect(refusal(leaf.certificate + root.certificate + middle.certificate, leaf.key)).toContain(disordered);
    expect(refusal(middle.certificate + leaf.certificate, leaf.key)).toContain(disordered);
    const stranger = await testCertificate({ is_authority: true });
    expect(refusal(leaf.certificate + stranger.certificate, leaf.key)).toContain(disordered);
    const sibling = await testCertificate({ issuer: leaf });
    expect(refusal(sibling.certificate + leaf.certificate, sibling.key)).toContain(disordered);
  });

  test('is refused with anything else around it', () => {
    const only = 'certificate_pem: must contain certificates in PEM and nothing else.';
    expect(refusal(`${leaf.certificate}junk`, leaf.key)).toBe(only);
    expect(refusal(`subject=x\n${leaf.certificate}`, leaf.key)).toBe(only);
    expect(refusal(leaf.certificate + leaf.key, leaf.key)).toBe(only);
    expect(refusal('', leaf.key)).toBe('certificate_pem: must contain a certificate in PEM.');
    expect(refusal('x'.repeat(70_000), leaf.key)).toBe('certificate_pem: has more than 65536 bytes.');
    expect(refusal(leaf.certificate.repeat(11), leaf.key)).toBe('certificate_pem: has more than 10 certificates.');
  });

  test('is refused if its bytes are damaged or followed by others', () => {
    const [, body = ''] = /-----\n([^-]+)\n-----/.exec(leaf.certificate) ?? [];
    const der = Buffer.from(body, 'base64');
    const pem = (bytes: Buffer) =>
      `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`;
    const malformed = 'certificate_pem: certificate 1 is not a valid X.509 certificate.';
    expect(refusal(pem(Buffer.concat([der, Buffer.from('junk')])), leaf.key)).toBe(malformed);
    expect(refusal(pem(der.subarray(0, -9)), leaf.key)).toBe(malformed);
  });

  test.each<[string, TestCertificateOptions, string]>([
    ['that has expired', { days: 1, started_days_ago: 2 }, 'expired at '],
    ['for clients only', { usage: 'client' }, 'extended key usage lacks serverAuth'],
    ['without names', { names: [] }, 'names no host'],
    ['for a name that is no host', { names: ['a b.example.com'] }, '"a b.example.com" is not a host name'],
    [
      'with an RSA key of 1024 bits',
      { algorithm: 'RSA1024' },
      'an RSA key must have 2048 to 8192 bits; this one has 1024',
    ],
    ['with an Ed25519 key', { algorithm: 'ED25519' }, 'the key must be RSA, or EC on P-256, P-384 or P-521'],
  ])('%s is refused', async (_, options, message) => {
    const { certificate, key } = await testCertificate(options);
    expect(refusal(certificate, key)).toContain(message);
  });

  test.each<[string, TestCertificateOptions]>([
    ['an RSA key of 2048 bits', { algorithm: 'RSA2048' }],
    ['an EC key on P-384', { algorithm: 'P384' }],
    ['no extended key usage', { usage: 'none' }],
  ])('with %s is accepted', async (_, options) => {
    const { certificate, key } = await testCertificate(options);
    expect(refusal(certificate, key)).toBe('accepted');
  });

  test('signed with SHA-1 is refused', async () => {
    const { certificate, key } = await testCertificate({ issuer: root, hash: 'SHA-1' });
    expect(refusal(certificate, key)).toContain('OpenSSL refuses to serve it');
  });
});

describe('a private key', () => {
  test('of another certificate is refused', () => {
    expect(refusal(leaf.certificate, root.key)).toBe('private_key_pem: does not belong to the certificate.');
  });

  test('is refused with anything else around it', () => {
    const only = 'private_key_pem: must contain one private key in PEM and nothing else.';
    for (const key of [leaf.key + leaf.key, `${leaf.key}junk`, leaf.certificate, 'x', ''])
      expect(refusal(leaf.certificate, key)).toBe(only);
    expect(refusal(leaf.certificate, 'x'.repeat(20_000))).toBe('private_key_pem: has more than 16384 bytes.');
  });

  test('that is encrypted is refused', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const options = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
    const encrypted = 'private_key_pem: is encrypted.';
    expect(refusal(leaf.certificate, privateKey.export({ type: 'pkcs8', ...options }).toString())).toContain(encrypted);
    expect(refusal(leaf.certificate, privateKey.export({ type: 'sec1', ...options }).toString())).toContain(encrypted);
  });

  test('on a curve that browsers refuse is refused', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(refusal(leaf.certificate, key)).toContain('the key must be RSA, or EC on');
  });

  test('in SEC 1 is stored in PKCS #8', () => {
    const sec1 = createPrivateKey(leaf.key).export({ type: 'sec1', format: 'pem' }).toString();
    expect(read(leaf.certificate, sec1).private_key_pem).toMatch(/^-----BEGIN PRIVATE KEY-----/);
  });

  test('is in no refusal', () => {
    const [, body = ''] = leaf.key.split('\n');
    for (const certificate of [leaf.certificate, root.certificate, 'x'])
      expect(refusal(certificate, `${leaf.key}\n${leaf.key}`)).not.toContain(body);
  });
});
