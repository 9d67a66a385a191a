import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { ApiError } from '@/lib/core/api/errors';
import { newId } from '@/lib/core/db/id';
import { testDatabase } from '@/lib/testing/database';
import { runs } from '@/lib/testing/samples';
import {
  type Amounts,
  counts,
  createWidget,
  createWidgetTable,
  deleteWidget,
  miscounted,
  resizeWidget,
  setLimits,
  widgetCall,
} from '@/lib/testing/widgets';
import { createProject } from '@/lib/testing/world';
import { type Dimension, dimensions } from './dimensions';

testDatabase();
beforeAll(createWidgetTable);

type Action =
  | { do: 'create'; widget: number; amounts: Amounts }
  | { do: 'resize'; widget: number; dimension: Dimension; amount: string }
  | { do: 'delete'; widget: number }
  | { do: 'limit'; dimension: Dimension; amount: number };

const WIDGETS = 6;
const widget = fc.nat(WIDGETS - 1);
const dimension = fc.constantFrom<Dimension>('vcpus', 'ram_gb', 'storage_tb', 'instances');
/** An amount in hundredths, as text: never a binary float. */
const amount = fc.nat(400).map((hundredths) => (hundredths / 100).toFixed(2));
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      widget,
      amounts: fc.dictionary(dimension, amount, { minKeys: 1 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('resize' as const), widget, dimension, amount }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), widget }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), dimension, amount: fc.nat(12) }) },
);

function perform(project: string, ids: readonly string[], action: Action): Promise<unknown> {
  if (action.do === 'limit') return setLimits(project, { [action.dimension]: action.amount });
  const id = ids[action.widget] ?? '';
  const call = widgetCall(project);
  switch (action.do) {
    case 'create':
      return createWidget(call, { id, amounts: action.amounts });
    case 'resize':
      return resizeWidget(call, id, action.dimension, action.amount);
    case 'delete':
      return deleteWidget(call, id);
  }
}

const newProject = async () => {
  const { id } = await createProject();
  await setLimits(id, { vcpus: 8, ram_gb: 8, storage_tb: 8, instances: 8 });
  return { project: id, ids: Array.from({ length: WIDGETS }, () => newId()) };
};

test('account, ledger and resources always agree, whatever runs concurrently', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(action, { minLength: 2, maxLength: 10 }), { maxLength: 5 }), async (batches) => {
      const { project, ids } = await newProject();
      for (const batch of batches) {
        const results = await Promise.allSettled(batch.map((step) => perform(project, ids, step)));
        // Refusals are expected; anything else is a bug.
        for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ApiError);
        expect(await miscounted(project)).toEqual([]);
      }
    }),
    { numRuns: runs(15, 40) },
  );
}, 120_000);

test('in sequence, a claim is admitted exactly when it fits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      const { project, ids } = await newProject();
      const model = new Model();
      for (const step of actions) {
        const admitted = await perform(project, ids, step).then(
          () => true,
          () => false,
        );
        expect(admitted, JSON.stringify(step)).toBe(model.admits(step));
        const found = await counts(project);
        const used = Object.fromEntries(
          found.map(({ dimension, used }) => [dimension, Math.round(Number(used) * 100)]),
        );
        expect(used).toEqual(model.used());
      }
    }),
    { numRuns: runs(10, 25) },
  );
}, 120_000);

/** The simplest model of admission, in whole hundredths. */
class Model {
  private readonly limits = new Map<Dimension, number>([
    ['vcpus', 800],
    ['ram_gb', 800],
    ['storage_tb', 800],
    ['instances', 800],
  ]);
  private readonly widgets = new Map<number, Map<Dimension, number>>();

  admits(action: Action): boolean {
    if (action.do === 'limit') {
      this.limits.set(action.dimension, action.amount * 100);
      return true;
    }
    const present = this.widgets.get(action.widget);
    if (action.do === 'create') {
      const wanted = new Map(dimensions.map((d) => [d, Math.round(Number(action.amounts[d] ?? 0) * 100)]));
      if (present || ![...wanted].every(([d, amount]) => this.fits(d, amount))) return false;
      this.widgets.set(action.widget, wanted);
      return true;
    }
    if (!present) return false;
    if (action.do === 'delete') return this.widgets.delete(action.widget);
    const wanted = Math.round(Number(action.amount) * 100);
    if (!this.fits(action.dimension, wanted - (present.get(action.dimension) ?? 0))) return false;
    present.set(action.dimension, wanted);
    return true;
  }

  used(): { [dimension: string]: number } {
    return Object.fromEntries(dimensions.map((d) => [d, this.usedOf(d)]));
  }

  private usedOf(d: Dimension): number {
    return [...this.widgets.values()].reduce((sum, amounts) => sum + (amounts.get(d) ?? 0), 0);
  }

  private fits(d: Dimension, more: number): boolean {
    return more <= 0 || this.usedOf(d) + more <= (this.limits.get(d) ?? Number.POSITIVE_INFINITY);
  }
}
