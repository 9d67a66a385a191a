import { expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { api, createUser } from '@/lib/testing/world';

testDatabase();
const call = api();

test('a platform without mail says so, whether or not the address has an account', async () => {
  await createUser('known@example.test');
  for (const email of ['known@example.test', 'unknown@example.test']) {
    const { status, body, headers } = await call('POST', '/auth/password-reset', { body: { email } });
    expect([status, body]).toEqual([
      503,
      { error: expect.objectContaining({ code: 'ENGINE_UNAVAILABLE', message: expect.stringContaining('SMTP_URL') }) },
    ]);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  }
});
