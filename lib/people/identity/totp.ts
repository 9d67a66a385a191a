import { generateSecret, generateURI, verifySync } from 'otplib';
import qrcode from 'qrcode';

const ISSUER = 'Nephele';
/** RFC 6238 with the parameters that every authenticator app supports: steps of 30 s, six digits, SHA-1. */
const STEP_S = 30;

/** A key to scan or type into an authenticator app. */
export type TotpKey = { secret: string; otpauth_uri: string; qr_code: string };

/** A new TOTP key, with its QR code as a PNG data URI. */
export async function newTotpKey(email: string): Promise<TotpKey> {
  const secret = generateSecret();
  const otpauth_uri = generateURI({ issuer: ISSUER, label: email, secret });
  return { secret, otpauth_uri, qr_code: await qrcode.toDataURL(otpauth_uri, { margin: 2, scale: 6 }) };
}

/** The time step of a code, at most one step from now (RFC 6238, 6); undefined: none matches. */
export function matchingStep(secret: string, code: string, at: Date): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const token = withoutSpaces(code);
  const result = verifySync({ secret, token, epoch: Math.floor(at.getTime() / 1000), epochTolerance: STEP_S });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

/** Six digits, with or without a space, as apps show them. Anything else can only be a recovery code. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(withoutSpaces(code));
}

function withoutSpaces(code: string): string {
  return code.replace(/\s/g, '');
}
