import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeJson } from '@/lib/core/api/json';
import { newId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { readBreakdown } from '@/lib/money/billing/breakdown';
import { breakdownKinds } from '@/lib/money/billing/schema';
import { closeMonths, GRACE_MS } from '@/lib/money/invoices/close';
import { Money, total as sumOf } from '@/lib/money/rating/cost';
import { spendNow } from '@/lib/money/rating/meter';
import { endOf, type Month, monthAfter, monthOf, secondsOf, startOf } from '@/lib/money/rating/month';
import { setTestClock, stopTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { projectSince } from '@/lib/testing/metered';
import { runs } from '@/lib/testing/samples';
import { foldUsage, recordUsage } from './usage-events';

// Compares the database after random histories with a model of metering and rating in integers and fractions, which
// shares only the names of months with the product.

testDatabase();
beforeEach(() => setTestClock(0));
afterEach(() => setTestClock(0));

const FIRST: Month = '2027-12';
const RESOURCES = 4;

/**
 * Prices in millionths of a USD per unit, and the part of a unit that is one millisecond of one thousandth, or one
 * event.
 */
const prices = {
  compute_vcpu: { millionths: 24_000n, basis: 'hour' },
  compute_memory: { millionths: 4_000n, basis: 'hour' },
  block_storage: { millionths: 80_000n, basis: 'month' },
  mysql_database: { millionths: null, basis: 'hour' },
} as const;
type Lasting = keyof typeof prices;
const lasting: Lasting[] = ['block_storage', 'compute_memory', 'compute_vcpu', 'mysql_database'];

/** An exact fraction. */
class Fraction {
  constructor(
    readonly numerator: bigint,
    readonly denominator: bigint,
  ) {}
  plus({ numerator, denominator }: Fraction): Fraction {
    return new Fraction(this.numerator * denominator + numerator * this.denominator, this.denominator * denominator);
  }
  /** In hundredths, half to even. */
  cents(): bigint {
    const [whole, rest] = [(this.numerator * 100n) / this.denominator, (this.numerator * 100n) % this.denominator];
    const twice = rest * 2n;
    return whole + (twice > this.denominator || (twice === this.denominator && whole % 2n === 1n) ? 1n : 0n);
  }
  isNear(text: string): boolean {
    const exact = new Money(this.numerator.toString()).div(this.denominator.toString());
    return exact.minus(text).abs().lt('1e-30');
  }
}
const nothing = new Fraction(0n, 1n);

type Interval = { metric: Lasting; resource: number; thousandths: bigint; from: number; to: number | null };
type Told = { tokens: bigint; used_in: Month; billed_in: Month };

class Model {
  private readonly intervals: Interval[] = [];
  private readonly told: Told[] = [];
  private readonly metered = new Map<string, number>();
  billedUntil: Month = FIRST;

  hold(metric: Lasting, resource: number, thousandths: bigint, at: number): void {
    const open = this.openOf(metric, resource);
    if ((open?.thousandths ?? 0n) === thousandths) return;
    const moment = this.touch(metric, at);
    if (open) open.to = moment;
    if (thousandths > 0n) this.intervals.push({ metric, resource, thousandths, from: moment, to: null });
  }

  lose(resource: number, since: number, at: number): void {
    for (const metric of ['compute_memory', 'compute_vcpu'] as const) {
      const open = this.openOf(metric, resource);
      if (!open) continue;
      const moment = this.touch(metric, at);
      open.to = Math.min(moment, Math.max(since, open.from, startOf(this.billedUntil).getTime()));
    }
  }

  tell(tokens: bigint, occurred: number, at: number): void {
    const used_in = monthOf(new Date(occurred));
    this.told.push({ tokens, used_in, billed_in: used_in > this.billedUntil ? used_in : this.billedUntil });
    if (this.told.at(-1)?.billed_in === monthOf(new Date(at))) this.touch('ai_prompt_tokens', at);
  }

  spend(at: number): Fraction {
    const month = monthOf(new Date(at));
    return [
      ...lasting.map((metric) => this.lasted(metric, month, Math.max(at, this.metered.get(metric) ?? 0))),
      ...this.told.filter(({ billed_in }) => billed_in === month).map(({ tokens }) => tokenCost(tokens)),
    ].reduce((sum, part) => sum.plus(part), nothing);
  }

  /** The lines of a month's invoice, as `metric used_in cents`; empty if nothing is due. */
  close(month: Month): string[] {
    const end = endOf(month).getTime();
    const lines = lasting
      .filter((metric) => prices[metric].millionths !== null)
      .filter((metric) => this.intervals.some((span) => span.metric === metric && overlap(span, month, end) > 0n))
      .map((metric) => ({ name: metric as string, used_in: month, cents: this.lasted(metric, month, end).cents() }));
    const told = this.told.filter(({ billed_in }) => billed_in === month);
    for (const used_in of new Set(told.map((event) => event.used_in))) {
      const tokens = told.reduce((sum, event) => sum + (event.used_in === used_in ? event.tokens : 0n), 0n);
      lines.push({ name: 'ai_prompt_tokens', used_in, cents: tokenCost(tokens).cents() });
    }
    this.billedUntil = monthAfter(month);
    if (lines.every(({ cents }) => cents === 0n)) return [];
    return lines.map(({ name, used_in, cents }) => `${name} ${used_in} ${cents}`).sort();
  }

  private lasted(metric: Lasting, month: Month, until: number): Fraction {
    const { millionths, basis } = prices[metric];
    const used = this.intervals
      .filter((span) => span.metric === metric)
      .reduce((sum, span) => sum + span.thousandths * overlap(span, month, until), 0n);
    const unitMs = basis === 'hour' ? 3_600_000n : BigInt(secondsOf(month)) * 1000n;
    return new Fraction(used * (millionths ?? 0n), unitMs * 1000n * 1_000_000n);
  }

  private openOf(metric: Lasting, resource: number): Interval | undefined {
    return this.intervals.find((span) => span.metric === metric && span.resource === resource && span.to === null);
  }

  private touch(metric: string, at: number): number {
    const moment = Math.max(at, this.metered.get(metric) ?? 0);
    this.metered.set(metric, moment);
    return moment;
  }
}

/** 0.20 USD a million. */
const tokenCost = (tokens: bigint) => new Fraction(tokens, 5_000_000n);

/** The milliseconds of a span within a month, until a moment. */
function overlap({ from, to }: Interval, month: Month, until: number): bigint {
  const end = Math.min(to ?? until, until, endOf(month).getTime());
  return BigInt(Math.max(0, end - Math.max(from, startOf(month).getTime())));
}

type Step =
  | { do: 'hold'; metric: Lasting; resource: number; thousandths: number }
  | { do: 'lose'; resource: number; ago: number }
  | { do: 'tell'; tokens: number; ago: number }
  | { do: 'close' };
const HOUR = 3_600_000;
const resource = fc.nat(RESOURCES - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      metric: fc.constantFrom(...lasting),
      resource,
      thousandths: fc.oneof(fc.constant(0), fc.nat(50_000), fc.nat(500_000_000)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), resource, ago: fc.nat(100 * HOUR) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('tell' as const),
      tokens: fc.integer({ min: 1, max: 10 ** 9 }),
      ago: fc.nat(200 * HOUR),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('close' as const) }) },
);
/** Mostly hours or days later, sometimes the same moment or slightly earlier. */
const pause = fc.oneof(
  { weight: 6, arbitrary: fc.nat(60 * HOUR) },
  { weight: 3, arbitrary: fc.nat(500 * HOUR) },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: -3 * HOUR, max: -1 }) },
);

async function perform(project: string, ids: readonly string[], step: Step, at: number, model: Model) {
  switch (step.do) {
    case 'hold': {
      const id = ids[step.resource];
      await queryOne(sql`SELECT meter(${project}::uuid, ${step.metric}::text, 'instance', ${id}::uuid, 'web',
        ${step.thousandths}::numeric / 1000, platform_now())`);
      return model.hold(step.metric, step.resource, BigInt(step.thousandths), at);
    }
    case 'lose': {
      const since = new Date(at - step.ago);
      await queryOne(sql`SELECT unmeter_since(${project}::uuid, '{compute_memory,compute_vcpu,gpu_slice}', ${ids[step.resource]}::uuid,
        ${since}::timestamptz, platform_now())`);
      return model.lose(step.resource, since.getTime(), at);
    }
    case 'tell': {
      const occurred = Math.max(at - step.ago, startOf(FIRST).getTime());
      const event = { key: newId(), project_id: project, metric: 'ai_prompt_tokens', quantity: step.tokens } as const;
      const of = { resource_type: 'model', resource_id: ids[0] ?? '', resource_name: 'model' };
      await recordUsage([{ ...event, ...of, occurred_at: new Date(occurred) }]);
      await foldUsage();
      return model.tell(BigInt(step.tokens), occurred, at);
    }
    case 'close': {
      await closeMonths();
      while (endOf(model.billedUntil).getTime() + GRACE_MS <= at) {
        const month = model.billedUntil;
        const expected = model.close(month);
        const lines = await query<{ line: string }>(sql`
          SELECT l.metric || ' ' || to_char(l.used_in, 'YYYY-MM') || ' ' || trim_scale(l.amount_usd * 100) AS line
          FROM invoices i JOIN invoice_lines l ON l.invoice_id = i.id
          WHERE i.project_id = ${project}::uuid AND i.month = ${`${month}-01`}::date AND l.kind = 'usage'`);
        expect([month, lines.map(({ line }) => line).sort()]).toEqual([month, expected]);
      }
    }
  }
}

/** Checks that every view of a month adds up to the same total, and that of a closed month to its invoice. */
async function checkBreakdowns(project: string): Promise<void> {
  const closed = await query<{ month: Month; total: string }>(sql`
    SELECT to_char(month, 'YYYY-MM') AS month, trim_scale(subtotal_usd) AS total FROM invoices WHERE project_id = ${project}::uuid`);
  for (const { month, total } of [...closed, { month: undefined, total: undefined }]) {
    const totals = new Set<string>();
    for (const by of breakdownKinds) {
      const { total_usd, items } = await readBreakdown(project, { by, month });
      const amounts = items.map(({ amount_usd }) => new Money(writeJson(amount_usd ?? 0)));
      expect([by, sumOf(amounts).toFixed()]).toEqual([by, writeJson(total_usd)]);
      totals.add(writeJson(total_usd));
    }
    expect([...totals]).toEqual([total ?? expect.any(String)]);
  }
}

test('spend and invoices equal those of an integer model after random histories', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(pause, step), { minLength: 5, maxLength: 40 }), async (history) => {
      await setTestClock(0);
      const { id: project } = await projectSince(FIRST);
      const ids = Array.from({ length: RESOURCES }, newId);
      const model = new Model();
      let at = startOf(FIRST).getTime() + 20 * 24 * HOUR;
      for (const [ms, step] of history) {
        // A clock that steps back into an ended month cannot be used for billing.
        at = Math.max(at + ms, startOf(monthOf(new Date(at))).getTime());
        await stopTestClock(new Date(at).toISOString());
        await perform(project, ids, step, at, model);
        const spent = await spendNow(project);
        expect([model.spend(at).isNear(spent.toString()), step, spent.toString()]).toEqual([
          true,
          step,
          spent.toString(),
        ]);
      }
      await checkBreakdowns(project);
    }),
    { numRuns: runs(4, 10), seed: Number(process.env.FUZZ_SEED ?? 2027), endOnFailure: true },
  );
}, 240_000);
