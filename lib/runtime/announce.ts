import { z } from 'zod';
import type { Settings } from '@/lib/settings';

/** The result of preparing the database: applied migrations, and the accounts of a first start. */
export const preparedSchema = z.object({
  migrations: z.array(z.string()),
  accounts: z.array(z.object({ role: z.string(), email: z.string(), password: z.string() })),
});
export type Prepared = z.infer<typeof preparedSchema>;

/** Prints the platform's addresses. */
export function announceReady({ baseUrl, backofficeUrl, s3, dataDir }: Settings, seconds: number): void {
  console.log(`
Nephele is ready after ${seconds.toFixed(1)} s:  ${baseUrl}
  back office     ${backofficeUrl}
  API reference   ${baseUrl}/docs
  object storage  ${s3.url}
  data            ${dataDir}
Press Ctrl-C to stop.`);
}

/** Prints the first accounts, once: only hashes of their passwords are stored. */
export function announceAccounts(accounts: Prepared['accounts'], settings: Settings): void {
  if (accounts.length === 0) return;
  const given = [settings.bootstrapAdminPassword, settings.bootstrapTenantPassword];
  const width = Math.max(...accounts.map(({ email }) => email.length));
  const lines = accounts.map(({ role, email, password }) => {
    const shown = given.includes(password) ? 'password from the settings' : password;
    return `  ${email.padEnd(width)}   ${shown}   (${role})`;
  });
  console.log(`\nInitial accounts and passwords (shown only once):\n${lines.join('\n')}`);
}
