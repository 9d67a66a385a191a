import { describe, expect, test } from 'vitest';
import { ApiError } from '@/lib/core/api/errors';
import { checkPayload } from './payload';
import type { CreateSecret } from './schema';

/** Of nobody, for `www.example.com`; its key is thrown away. */
const PEM = `-----BEGIN CERTIFICATE-----
MIIB2zCCAYCgAwIBAgIUUAbiwrfPf6SRgF207SXHnhWTkUIwCgYIKoZIzj0EAwIw
KTENMAsGA1UECgwEQWNtZTEYMBYGA1UEAwwPd3d3LmV4YW1wbGUuY29tMCAXDTI2
MTEyMjAyMjIwMFoYDzIxMjYxMDI5MDIyMjAwWjApMQ0wCwYDVQQKDARBY21lMRgw
FgYDVQQDDA93d3cuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AASG8dhMfNLcdclP59LOOwPnBbcCIhIbCy1bQIIntw72GPZK5exfIVuG9Yx8L9p+
mWoR28b8SndfVSrR8p2o6Krao4GDMIGAMB0GA1UdDgQWBBRrQi4dfAKs5iVgQVrk
m+AHitc/vzAfBgNVHSMEGDAWgBRrQi4dfAKs5iVgQVrkm+AHitc/vzAPBgNVHRMB
Af8EBTADAQH/MC0GA1UdEQQmMCSCD3d3dy5leGFtcGxlLmNvbYILZXhhbXBsZS5j
b22HBMAAAgEwCgYIKoZIzj0EAwIDSQAwRgIhAL4NJq9OHEoEBtKp2C6/JZbf1m0p
lT0/DmYYr81SuylGAiEAv3/K5MFsA6cxShErtbJnM/dEURQDXJCnpqO0ujWKcWw=
-----END CERTIFICATE-----`;
const DER = PEM.split('\n').slice(1, -1).join('');
const facts = {
  subject: 'O=Acme, CN=www.example.com',
  issuer: 'O=Acme, CN=www.example.com',
  serial_number: '5006E2C2B7CF7FA491805DB4ED25C79E15939142',
  fingerprint_sha256: '83:C8:E6:0C:DE:3A:08:14:AC:20:42:97:08:21:A1:14:5E:62:8F:D3:F7:58:A0:67:0A:E8:01:6D:A0:21:F6:FC',
  domains: ['www.example.com', 'example.com'],
  not_before: '2026-11-22T02:22:00.000Z',
  not_after: '2126-10-29T02:22:00.000Z',
};

function check(type: CreateSecret['type'], payload: string, payload_encoding: CreateSecret['payload_encoding']) {
  return checkPayload({ name: 'a', type, payload, payload_encoding });
}

function refusal(...of: Parameters<typeof check>): string {
  try {
    check(...of);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
  return 'taken';
}

const bytes = (count: number) => Buffer.alloc(count, 7).toString('base64');

describe('a payload', () => {
  test('is the bytes that its encoding says', () => {
    expect(check('opaque', 'é', 'utf8').bytes).toEqual(Buffer.from([0xc3, 0xa9]));
    expect(check('opaque', 'w6k=', 'base64').bytes).toEqual(Buffer.from([0xc3, 0xa9]));
  });

  test.each(['w6k', 'w6k=\n', 'w6l=', 'w6-_', '*'])('of %j is not base64', (payload) => {
    expect(refusal('opaque', payload, 'base64')).toBe('payload: is not valid base64 (RFC 4648, with padding).');
  });

  test('has at most 64 KiB, counted in bytes', () => {
    expect(refusal('opaque', 'é'.repeat(32 * 1024), 'utf8')).toBe('taken');
    expect(refusal('opaque', `${'é'.repeat(32 * 1024)}a`, 'utf8')).toBe(
      'payload: has 65537 bytes; the maximum is 65536.',
    );
    expect(refusal('opaque', '', 'base64')).toBe('payload: must not be empty.');
  });
});

describe('a symmetric key', () => {
  test.each([16, 24, 32, 48, 64])('of %i bytes is one', (size) => {
    expect(refusal('symmetric_key', bytes(size), 'base64')).toBe('taken');
  });

  test.each([15, 17, 33, 65])('of %i bytes is none', (size) => {
    expect(refusal('symmetric_key', bytes(size), 'base64')).toBe(
      `payload: a symmetric key must have 16, 24, 32, 48 or 64 bytes; this one has ${size}. To send raw bytes, use payload_encoding base64.`,
    );
  });
});

test('a passphrase is text', () => {
  expect(refusal('passphrase', 'correct horse', 'utf8')).toBe('taken');
  expect(refusal('passphrase', bytes(16), 'base64')).toBe('payload_encoding: must be utf8 for a passphrase.');
});

describe('a certificate', () => {
  test('says what it is, in PEM, as the leaf of a chain, and in DER', () => {
    expect(check('certificate', PEM, 'utf8').certificate).toEqual(facts);
    expect(check('certificate', `${PEM}\n${PEM}\n`, 'utf8').certificate).toEqual(facts);
    expect(check('certificate', DER, 'base64').certificate).toEqual(facts);
  });

  test.each(['x', DER, `${PEM.slice(0, -60)}`])('must be one', (payload) => {
    expect(refusal('certificate', payload, 'utf8')).toBe('payload: is not an X.509 certificate in PEM or DER.');
  });
});
