import { expect, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { databaseAsOf } from '@/lib/testing/database';

test('accounts of an earlier version need no new password', async () => {
  const { url, client } = await databaseAsOf('20261122193650_metric_store');
  await client.query(`INSERT INTO users (id, email, name, password_hash, administrator, created_at, updated_at)
    VALUES (gen_random_uuid(), 'ada@example.test', 'Ada', 'x', false, now(), now())`);
  await migrate(url);
  const { rows } = await client.query('SELECT email, initial_password FROM users');
  expect(rows).toEqual([{ email: 'ada@example.test', initial_password: false }]);
});
