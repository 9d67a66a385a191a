import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { invalid } from '@/lib/core/api/errors';
import { isDnsName } from './names';
import { type PemBlock, readPem } from './pem';
import type { Certificate } from './schema';

export const CHAIN_BYTES = 64 * 1024;
export const KEY_BYTES = 16 * 1024;
const MOST_CERTIFICATES = 10;
const MOST_NAMES = 100;
const LEAST_RSA_BITS = 2048;
/** Larger keys make each handshake of the shared gateway slow. */
const MOST_RSA_BITS = 8192;
/** The curves that browsers accept, all of at least 256 bits. */
const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const PRIVATE_KEYS = ['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY'];
const DAY_MS = 24 * 60 * 60_000;

/** A checked certificate with its chain and key, ready to be served. */
export type Material = {
  chain_pem: string;
  private_key_pem: string;
  domains: string[];
  chain: Certificate['chain'];
  fingerprint_sha256: string;
  not_before: Date;
  not_after: Date;
  expiring_at: Date;
};

/**
 * Checks a certificate, its chain and its private key.
 * @throws ApiError 400 that names the field; never with the text of a key
 */
export function readMaterial(input: { certificate_pem: string; private_key_pem: string }, at: Date): Material {
  const chain = readChain(input.certificate_pem);
  const [leaf] = chain;
  const key = readKey(input.private_key_pem);
  if (!leaf.checkPrivateKey(key)) throw wrongKey('does not belong to the certificate.');
  const not_before = new Date(leaf.validFrom);
  const not_after = new Date(leaf.validTo);
  if (not_after <= at) throw wrong(`expired at ${not_after.toISOString()}.`);
  const material = {
    chain_pem: chain.map(({ raw }) => pemOf(raw)).join(''),
    private_key_pem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    domains: namesOf(leaf),
    chain: chain.map(factsOf),
    fingerprint_sha256: leaf.fingerprint256,
    not_before,
    not_after,
    expiring_at: expiringAt(not_before, not_after),
  };
  requireServable(material);
  return material;
}

/** 14 days before the end; for certificates of a few weeks, after two thirds of their life. */
function expiringAt(from: Date, to: Date): Date {
  const life = to.getTime() - from.getTime();
  return new Date(to.getTime() - Math.min(14 * DAY_MS, life / 3));
}

const wrong = (problem: string) => invalid(`certificate_pem: ${problem}`);
const wrongKey = (problem: string) => invalid(`private_key_pem: ${problem}`);

function readChain(text: string): [X509Certificate, ...X509Certificate[]] {
  if (Buffer.byteLength(text) > CHAIN_BYTES) throw wrong(`has more than ${CHAIN_BYTES} bytes.`);
  const blocks = readPem(text);
  if (!blocks?.every(({ label }) => label === 'CERTIFICATE')) {
    throw wrong('must contain certificates in PEM and nothing else.');
  }
  if (blocks.length > MOST_CERTIFICATES) throw wrong(`has more than ${MOST_CERTIFICATES} certificates.`);
  const [leaf, ...issuers] = blocks.map(readCertificate);
  if (!leaf) throw wrong('must contain a certificate in PEM.');
  const chain: [X509Certificate, ...X509Certificate[]] = [leaf, ...issuers];
  for (const [index, issuer] of issuers.entries()) requireIssuer(chain[index] ?? leaf, issuer, index + 2);
  for (const [index, certificate] of chain.entries()) {
    const problem = weakness(certificate.publicKey);
    if (problem) throw wrong(`certificate ${index + 1}: ${problem}`);
  }
  if (leaf.keyUsage && !leaf.keyUsage.includes(SERVER_AUTH)) {
    throw wrong('is not for servers: its extended key usage lacks serverAuth.');
  }
  return chain;
}

function readCertificate({ bytes }: PemBlock, index: number): X509Certificate {
  const malformed = wrong(`certificate ${index + 1} is not a valid X.509 certificate.`);
  try {
    const certificate = new X509Certificate(bytes);
    if (certificate.raw.length === bytes.length) return certificate;
  } catch {
    throw malformed;
  }
  throw malformed;
}

function requireIssuer(certificate: X509Certificate, issuer: X509Certificate, position: number): void {
  const isIssuer = certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (!isIssuer || !issuer.ca) {
    throw wrong(
      `certificate ${position} did not issue certificate ${position - 1}. Begin with the server’s certificate; each further one issued the one before it.`,
    );
  }
}

function readKey(text: string): KeyObject {
  if (Buffer.byteLength(text) > KEY_BYTES) throw wrongKey(`has more than ${KEY_BYTES} bytes.`);
  const [block, ...others] = readPem(text) ?? [];
  if (text.includes('ENCRYPTED')) throw wrongKey('is encrypted. Decrypt it first, e.g. with `openssl pkey`.');
  if (!block || others.length > 0 || !PRIVATE_KEYS.includes(block.label)) {
    throw wrongKey('must contain one private key in PEM and nothing else.');
  }
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: text, format: 'pem' });
  } catch {
    throw wrongKey('is not a valid private key.');
  }
  const problem = weakness(key);
  if (problem) throw wrongKey(problem);
  return key;
}

/** Why a key must not be used, or undefined. */
function weakness({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string | undefined {
  if (type === 'rsa') {
    const bits = details?.modulusLength ?? 0;
    if (bits >= LEAST_RSA_BITS && bits <= MOST_RSA_BITS) return undefined;
    return `an RSA key must have ${LEAST_RSA_BITS} to ${MOST_RSA_BITS} bits; this one has ${bits}.`;
  }
  if (type === 'ec' && CURVES[details?.namedCurve ?? '']) return undefined;
  return 'the key must be RSA, or EC on P-256, P-384 or P-521.';
}

/** DNS names and IP addresses of the certificate. Clients ignore its common name (RFC 9525). */
function namesOf(leaf: X509Certificate): string[] {
  const names = (leaf.subjectAltName ?? '').split(', ').flatMap((entry) => {
    const [, kind, value = ''] = /^(DNS|IP Address):(.*)$/.exec(entry) ?? [];
    return kind ? [value.toLowerCase()] : [];
  });
  const bad = names.find((name) => !isDnsName(name) && isIP(name) === 0);
  if (bad !== undefined) throw wrong(`${JSON.stringify(bad)} is not a host name.`);
  if (names.length === 0) throw wrong('names no host: it has no subject alternative names.');
  if (names.length > MOST_NAMES) throw wrong(`has more than ${MOST_NAMES} names.`);
  return [...new Set(names)];
}

/** OpenSSL refuses what the engines would refuse: weak signatures in the chain, and anything that it can't load. */
function requireServable({ chain_pem, private_key_pem }: Pick<Material, 'chain_pem' | 'private_key_pem'>): void {
  try {
    createSecureContext({ cert: chain_pem, key: private_key_pem, ciphers: 'DEFAULT@SECLEVEL=2' });
  } catch (error) {
    const reason = error instanceof Error && 'reason' in error ? `: ${String(error.reason)}` : '';
    throw wrong(`OpenSSL refuses to serve it${reason}.`);
  }
}

const oneLine = (name: string) => name.replaceAll('\n', ', ');

function factsOf(certificate: X509Certificate): Certificate['chain'][number] {
  const { asymmetricKeyDetails: details } = certificate.publicKey;
  return {
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    serial_number: certificate.serialNumber,
    key: details?.modulusLength ? `RSA ${details.modulusLength}` : `EC ${CURVES[details?.namedCurve ?? '']}`,
    not_before: new Date(certificate.validFrom).toISOString(),
    not_after: new Date(certificate.validTo).toISOString(),
  };
}

const pemOf = (der: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
