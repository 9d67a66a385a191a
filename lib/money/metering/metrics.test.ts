import { expect, test } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { metricNames, metrics } from './metrics';

testDatabase();

test('the table of metrics equals the one in the code, digit by digit', async () => {
  const rows = await query<{ name: string; basis: string; unit_share: string }>(
    sql`SELECT name, basis, trim_scale(unit_share) AS unit_share FROM metrics ORDER BY name COLLATE "C"`,
  );
  const stated = metricNames.map((name) => {
    const { basis, unit_share } = metrics[name];
    return { name, basis, unit_share };
  });
  expect(rows).toEqual(stated.sort((a, b) => (a.name < b.name ? -1 : 1)));
});
