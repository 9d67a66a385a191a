import { expect, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { databaseAsOf } from '@/lib/testing/database';

const ID = '01940000-0000-7000-8000-000000000001';

test('an existing budget keeps its limit and the month of its last check', async () => {
  const { url, client } = await databaseAsOf('20261121190500_payment_reversals');
  await client.query(`
      INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES ('${ID}', 'acme', 'acme', now(), now());
      INSERT INTO project_accounts (project_id, budget_limit_usd) VALUES ('${ID}', 10);
      INSERT INTO accruals (project_id, metric, accrued, as_of) VALUES ('${ID}', 'ai_prompt_tokens', 30000000, now());
      INSERT INTO budgets (project_id, thresholds, notify_emails, created_at, updated_at) VALUES ('${ID}', '{50}', '{}', now(), now())`);
  await client.query('UPDATE alert_schedule SET due_at = month_start(now())');
  await migrate(url);
  const { rows } = await client.query(`SELECT s.month = (month_of(now()) - interval '1 month')::date AS month_before,
      l.raised, l.limit_usd::float8 AS limit, l.spend_usd::float8 AS spend FROM alert_schedule s JOIN budget_limits l USING (project_id) ORDER BY l.id`);
  expect(rows).toEqual([
    { month_before: true, raised: false, limit: 10, spend: 0 },
    { month_before: true, raised: true, limit: 10, spend: 6 },
  ]);
});
