import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { now } from '@/lib/clock';

const DAY_MS = 24 * 60 * 60_000;
const algorithms = {
  P256: { name: 'ECDSA', namedCurve: 'P-256' },
  P384: { name: 'ECDSA', namedCurve: 'P-384' },
  ED25519: { name: 'Ed25519' },
  RSA1024: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 1024,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
  RSA2048: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
} as const;
const signing = (key: CryptoKey, hash: string) => ({ name: key.algorithm.name, hash });

/** A certificate and its key in PEM; tests sign further ones with it. */
export type TestCertificate = { certificate: string; key: string; keys: CryptoKeyPair };

export type TestCertificateOptions = {
  names?: readonly string[];
  issuer?: TestCertificate;
  is_authority?: boolean;
  algorithm?: keyof typeof algorithms;
  hash?: 'SHA-1' | 'SHA-256';
  usage?: 'server' | 'client' | 'none';
  days?: number;
  started_days_ago?: number;
};

/** A certificate as an authority would issue it; without an issuer, signed by itself. */
export async function testCertificate(options: TestCertificateOptions = {}): Promise<TestCertificate> {
  const { names = ['www.example.com'], issuer, is_authority = false, algorithm = 'P256' } = options;
  const { hash = 'SHA-256', usage = 'server', days = 90, started_days_ago = 1 } = options;
  const keys = await crypto.subtle.generateKey(algorithms[algorithm], true, ['sign', 'verify']);
  if (!('privateKey' in keys)) throw new Error('a key pair was expected');
  const signer = issuer?.keys.privateKey ?? keys.privateKey;
  const subject = [{ CN: [is_authority ? `Authority ${crypto.randomUUID()}` : (names[0] ?? 'nameless')] }];
  const notBefore = new Date(now().getTime() - started_days_ago * DAY_MS);
  const purpose = usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  const built = await X509CertificateGenerator.create({
    subject,
    issuer: issuer ? new X509Certificate(issuer.certificate).subjectName : subject,
    publicKey: keys.publicKey,
    signingKey: signer,
    signingAlgorithm: signing(signer, hash),
    notBefore,
    notAfter: new Date(notBefore.getTime() + days * DAY_MS),
    extensions: [
      new BasicConstraintsExtension(is_authority, undefined, true),
      ...(is_authority || usage === 'none' ? [] : [new ExtendedKeyUsageExtension([purpose])]),
      ...(is_authority || names.length === 0
        ? []
        : [new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value })))]),
    ],
  });
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: `${built.toString('pem')}\n`, key: `${PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`, keys };
}

/** The body of an upload. */
export async function certificateUpload(name: string, options: TestCertificateOptions = {}) {
  const { certificate, key } = await testCertificate(options);
  return { name, certificate_pem: certificate, private_key_pem: key };
}
