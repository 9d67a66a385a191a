import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** OpenSSH's keys (RFC 4253 6.6, RFC 5656, RFC 8709): one line of type, base64 and a comment. */
const TYPES = ['ssh-ed25519', 'ssh-rsa', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'];
const LEAST_RSA_BITS = 2048;
const ED25519_BYTES = 32;

export type PublicKeyFacts = { type: string; fingerprint: string };

/** Whether the text is one line of a public key that a guest's sshd takes. */
export function isPublicKey(text: string): boolean {
  return readPublicKey(text) !== undefined;
}

/** Type and fingerprint of a public key; undefined for what is none. */
export function readPublicKey(text: string): PublicKeyFacts | undefined {
  const [, type = '', encoded = ''] = /^([a-z0-9@.-]+) ([A-Za-z0-9+/]+={0,2})( [^\p{Cc}]*)?$/u.exec(text) ?? [];
  if (!TYPES.includes(type)) return undefined;
  const blob = Buffer.from(encoded, 'base64');
  const fields = readStrings(blob);
  if (!fields || fields[0]?.toString() !== type || !isSound(type, fields)) return undefined;
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
  return { type, fingerprint: `SHA256:${digest}` };
}

/** The length-prefixed strings that a blob consists of (RFC 4251, 5); undefined where it is cut off. */
function readStrings(blob: Buffer): Buffer[] | undefined {
  const strings: Buffer[] = [];
  let at = 0;
  while (at < blob.length) {
    if (at + 4 > blob.length) return undefined;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return undefined;
    strings.push(blob.subarray(at + 4, end));
    at = end;
  }
  return strings;
}

function isSound(type: string, [, first, second, ...rest]: Buffer[]): boolean {
  if (rest.length > 0 || !first) return false;
  if (type === 'ssh-ed25519') return !second && first.length === ED25519_BYTES;
  if (!second) return false;
  if (type === 'ssh-rsa') return bitLength(second) >= LEAST_RSA_BITS;
  return `ecdsa-sha2-${first.toString()}` === type && second[0] === 4;
}

function bitLength(number: Buffer): number {
  const from = number.findIndex((byte) => byte !== 0);
  return from === -1 ? 0 : (number.length - from) * 8 - Math.clz32(number[from] ?? 0) + 24;
}

/** A new ed25519 pair: the public half as a line, the private half in OpenSSH's own format. */
export function generateKeyPair(comment: string): { public_key: string; private_key: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicBytes = rawPublic(createPublicKey(privateKey));
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-ED25519_BYTES);
  const blob = Buffer.concat([sshString('ssh-ed25519'), sshString(publicBytes)]);
  return {
    public_key: `ssh-ed25519 ${blob.toString('base64')} ${comment}`,
    private_key: privateKeyFile(blob, publicBytes, seed, comment),
  };
}

const rawPublic = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).subarray(-ED25519_BYTES);

/** `openssh-key-v1`, not encrypted (OpenSSH's PROTOCOL.key). */
function privateKeyFile(publicBlob: Buffer, publicBytes: Buffer, seed: Buffer, comment: string): string {
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    sshString('ssh-ed25519'),
    sshString(publicBytes),
    sshString(Buffer.concat([seed, publicBytes])),
    sshString(comment),
  ]);
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1));
  const one = Buffer.from([0, 0, 0, 1]);
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    sshString('none'),
    sshString('none'),
    sshString(''),
    one,
    sshString(publicBlob),
    sshString(Buffer.concat([secret, padding])),
  ]);
  const lines = file.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

function sshString(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
