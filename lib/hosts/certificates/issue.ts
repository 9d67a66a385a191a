import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const DAY_MS = 24 * 60 * 60_000;

/** Clock skew between machines: a certificate is valid from slightly before its issue. */
const SKEW_MS = 60 * 60_000;
export const AUTHORITY_MS = 3650 * DAY_MS;
export const CERTIFICATE_MS = 90 * DAY_MS;

/** A certificate and its private key, both in PEM. */
export type Issued = { certificate: string; key: string; expires_at: Date };

/** The subject of a certificate and its TLS role. */
export type CertificateRequest = {
  common_name: string;
  dns_names: readonly string[];
  addresses: readonly string[];
  usage: 'server' | 'client' | 'peer';
};

/** Issues a self-signed authority that may sign certificates but no further authorities (RFC 5280, 4.2). */
export async function issueAuthority(name: string, at: Date): Promise<Issued> {
  const keys = await generateKeys();
  const expires_at = wholeSeconds(at.getTime() + AUTHORITY_MS);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: SIGNING,
    notBefore: new Date(at.getTime() - SKEW_MS),
    notAfter: expires_at,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await writtenKey(keys.privateKey), expires_at };
}

/** Issues a certificate that never outlives its authority. */
export async function issueCertificate(
  authority: Pick<Issued, 'certificate' | 'key'>,
  { common_name, dns_names, addresses, usage }: CertificateRequest,
  at: Date,
): Promise<Issued> {
  const signer = new X509Certificate(authority.certificate);
  const keys = await generateKeys();
  const expires_at = wholeSeconds(Math.min(at.getTime() + CERTIFICATE_MS, signer.notAfter.getTime()));
  const names = [
    ...dns_names.map((value) => ({ type: 'dns' as const, value })),
    ...addresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: [common_name] }],
    issuer: signer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await readKey(authority.key),
    signingAlgorithm: SIGNING,
    notBefore: new Date(Math.max(at.getTime() - SKEW_MS, signer.notBefore.getTime())),
    notAfter: expires_at,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(purposes[usage]),
      ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(signer),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await writtenKey(keys.privateKey), expires_at };
}

const purposes: Record<CertificateRequest['usage'], ExtendedKeyUsage[]> = {
  server: [ExtendedKeyUsage.serverAuth],
  client: [ExtendedKeyUsage.clientAuth],
  peer: [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth],
};

const generateKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** The private key as PEM in PKCS #8 (RFC 5958). */
const writtenKey = async (key: CryptoKey) =>
  `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;

const readKey = (pem: string) =>
  crypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), ALGORITHM, false, ['sign']);

/** Times in certificates have whole seconds. */
const wholeSeconds = (ms: number) => new Date(Math.floor(ms / 1000) * 1000);
