import { beforeAll, expect, test } from 'vitest';
import { transaction } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { accessOf } from './access';

testDatabase();

beforeAll(() => setTestClock(0));

test('a look-up of access is planned once for each connection, not for each request', async () => {
  const plans = await transaction(async (run) => {
    for (let request = 0; request < 20; request += 1)
      await run(sql`SELECT place FROM ${accessOf([{ accessKey: `key-${request}`, bucket: 'bucket' }])}`);
    return run(
      sql`SELECT generic_plans::int, custom_plans::int FROM pg_prepared_statements WHERE statement LIKE 'SELECT place FROM%'`,
    );
  });
  // PostgreSQL tries five plans before it keeps one.
  expect(plans).toEqual([{ generic_plans: 15, custom_plans: 5 }]);
});
