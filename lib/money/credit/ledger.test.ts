import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, pool, query, queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { seededRandom } from '@/lib/testing/random';
import { createProject, type TestProject } from '@/lib/testing/world';
import { addCredit, spendCredit as takeCredit } from './ledger';

testDatabase();
let acme: TestProject;
beforeEach(async () => {
  acme = await createProject('acme');
});

const always = raw('(SELECT) AS always');
const entry = (amount_usd: string | Sql, source = `test:${newId()}`) => {
  return { project_id: acme.id, source, amount_usd, reason: 'test', created_by: 'test', at: new Date() };
};
const add = (amount: string, source?: string) => execute(addCredit('top_up', entry(amount, source), always));
const take = (amount: string, source?: string) => execute(takeCredit('invoice', entry(amount, source), always));

/** The balance; checks that it equals the sum of the entries. */
async function balance(): Promise<string> {
  const books = await queryOne<{ balance: string; entries: string }>(sql`
    SELECT trim_scale(a.credit_usd) AS balance, trim_scale(coalesce(sum(CASE WHEN e.to_account = 'credit' THEN e.amount_usd ELSE -e.amount_usd END), 0))
      AS entries
    FROM project_accounts a LEFT JOIN credit_entries e ON e.project_id = a.project_id WHERE a.project_id = ${acme.id}::uuid GROUP BY 1`);
  expect(books?.balance).toBe(books?.entries);
  return books?.balance ?? '';
}

describe('credit', () => {
  test('is added once per cause, for any number of concurrent reports', async () => {
    await Promise.all(Array.from({ length: 20 }, () => add('10.25', 'top_up:cs_once')));
    expect(await balance()).toBe('10.25');
  });

  test('is used once per invoice, for any number of concurrent tries', async () => {
    await add('100');
    await Promise.all(Array.from({ length: 20 }, () => take('30.01', 'invoice:once')));
    expect(await balance()).toBe('69.99');
  });

  test('never goes below zero: of parallel uses only those that fit succeed', async () => {
    await add('10');
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => take('0.75')));
    // Thirteen times 0.75 are 9.75; a fourteenth does not fit.
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(13);
    expect(await balance()).toBe('0.25');
    expect(await query(sql`SELECT FROM credit_entries WHERE project_id = ${acme.id}::uuid`)).toHaveLength(14);
  });

  test('is neither lost nor doubled when added and used concurrently, each reported twice', async () => {
    const random = seededRandom(5);
    const moves = Array.from({ length: 60 }, (_, index) => {
      const cents = Math.floor(random() * 2000) + 1;
      return { comes: random() < 0.6, amount: (cents / 100).toFixed(2), source: `move:${acme.id}:${index}` };
    });
    const told = [...moves, ...moves].sort(() => random() - 0.5);
    await Promise.allSettled(
      told.map(({ comes, amount, source }) => (comes ? add(amount, source) : take(amount, source))),
    );
    const kept = await query<{ source: string }>(
      sql`SELECT source FROM credit_entries WHERE project_id = ${acme.id}::uuid AND to_account = 'credit'`,
    );
    expect(kept).toHaveLength(moves.filter(({ comes }) => comes).length);
    expect(await balance()).toMatch(/^\d+(\.\d+)?$/);
  });

  test('that a transaction rolls back never existed', async () => {
    const client = await pool().connect();
    try {
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO credit_entries (id, project_id, source, from_account, to_account, amount_usd, reason, created_by, created_at)
         VALUES ($1::uuid, $2, 'grant:' || $1::uuid, 'grant', 'credit', 5, 'test', 'test', now())`,
        [newId(), acme.id],
      );
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    expect(await balance()).toBe('0');
  });
});

describe('the database refuses', () => {
  const moves = (from: string, to: string, amount: string) =>
    execute(sql`INSERT INTO credit_entries (id, project_id, source, from_account, to_account, amount_usd, reason, created_by, created_at)
      VALUES (${newId()}::uuid, ${acme.id}::uuid, ${newId()}::text, ${from}::text, ${to}::text, ${amount}::numeric, 'test', 'test', now())`);

  test.each([
    ['an amount of nothing', 'top_up', 'credit', '0'],
    ['an amount below zero', 'top_up', 'credit', '-1'],
    ['a move past the balance', 'top_up', 'invoice', '1'],
    ['a move from the balance to itself', 'credit', 'credit', '1'],
    ['an account that there is not', 'pocket', 'credit', '1'],
    ['more than there is', 'credit', 'invoice', '0.000001'],
  ])('%s', async (_, from, to, amount) => {
    await expect(moves(from, to, amount)).rejects.toThrow(/_check/);
    expect(await balance()).toBe('0');
  });

  test.each([
    ['an entry of the ledger', 'UPDATE credit_entries SET amount_usd = 1'],
    ['an entry of the ledger', 'DELETE FROM credit_entries'],
    ['a price', 'UPDATE rates SET price_usd = 0'],
    ['a price', 'DELETE FROM rates'],
    ['all prices', 'TRUNCATE rates'],
    ['how a metric is priced', `UPDATE metrics SET basis = 'count'`],
    ['a metric', `DELETE FROM metrics WHERE name = 'gpu_slice'`],
  ])('to change %s: %s', async (_, statement) => {
    await add('1');
    await expect(execute(raw(statement))).rejects.toThrow(/is only added to|violates foreign key/);
  });
});
