import { generateSync } from 'otplib';
import { now } from '@/lib/clock';
import { prisma } from '@/lib/core/db/prisma';
import { hashPassword } from '@/lib/people/identity/passwords';
import type { Answer, TestUser } from './world';

/** A client as returned by `api()`. */
export type Client = (
  method: string,
  path: string,
  options?: { token?: string; body?: unknown; headers?: Record<string, string>; address?: string },
) => Promise<Answer>;

export const PASSWORD = 'correct horse battery staple';

const hashes = new Map<string, Promise<string>>();

/** Gives a test user a password to sign in with. Each password is hashed once per test file, because hashing is slow. */
export async function givePassword(user: Pick<TestUser, 'id'>, password = PASSWORD): Promise<void> {
  const hash = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, hash);
  await prisma().user.update({ where: { id: user.id }, data: { password_hash: await hash } });
}

/** An offset for `setTestClock` at the start of a TOTP step: codes stay valid for 29 s, enough for any test. */
export function stepStart(): number {
  return 31_000 - (Date.now() % 30_000);
}

/** The TOTP code of now, or of a number of steps from now, by the test's clock. */
export function totpCode(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(now().getTime() / 1000) + steps * 30 });
}

/** Activates a second factor for a signed-in person, with the code of the previous step. */
export async function enrol(
  call: Client,
  token: string,
  auth: '/auth' | '/admin/api/v1/auth' = '/auth',
): Promise<{ secret: string; recovery_codes: string[] }> {
  const setup = await call('POST', `${auth}/2fa/setup`, { token, body: {} });
  const { secret } = setup.body as { secret: string };
  const activated = await call('POST', `${auth}/2fa/activate`, { token, body: { code: totpCode(secret, -1) } });
  if (activated.status !== 200) throw new Error(`the second factor was not activated: ${activated.text}`);
  return { secret, recovery_codes: (activated.body as { recovery_codes: string[] }).recovery_codes };
}
