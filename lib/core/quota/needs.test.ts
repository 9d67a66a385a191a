import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '@/lib/core/api/errors';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import { deviceDelete, deviceInsert } from '@/lib/core/devices/device';
import { type LeasedOperation, type LeaseHolder, lease } from '@/lib/core/operations/lease';
import { orderOperation } from '@/lib/core/operations/order';
import { carryOn } from '@/lib/core/operations/run';
import { done, type OperationSteps } from '@/lib/core/operations/steps';
import { writeTransition } from '@/lib/core/operations/transition';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { logOf, operationsOf } from '@/lib/testing/operations';
import { runs } from '@/lib/testing/samples';
import { createWidgetOperation } from '@/lib/testing/widget-operations';
import { setLimits, widgetCall } from '@/lib/testing/widgets';
import { createProject } from '@/lib/testing/world';
import { commit, ifAdmitted } from './commit';
import type { Need } from './needs';

testDatabase();

const usable = { vcpus: 8, memory_mb: 100_000, disk_gb: 60 };
const CELLS = ['north', 'south'] as const;
const full = new ApiError('CAPACITY_EXHAUSTED', 'The cell is full.');

/** A test-only resource type whose rows record its needs independently of ledger and counters. */
beforeAll(async () => {
  await execute(sql`CREATE TABLE tanks (id uuid PRIMARY KEY, project_id uuid NOT NULL, cell_id text NOT NULL,
    vcpus int NOT NULL, memory_mb int NOT NULL, disk_gb int NOT NULL)`);
  for (const cell of CELLS) await createCell(cell, usable);
});

type Tank = { id: string; cell: string; vcpus: number; disk_gb: number };

const needOf = ({ id, cell }: Pick<Tank, 'id' | 'cell'>, amounts: Need['amounts']): Need => ({
  cell,
  device: id,
  amounts,
});

async function createTank(project: string, { id, cell, vcpus, disk_gb }: Tank): Promise<void> {
  const row = { id, project_id: project, cell_id: cell, vcpus, disk_gb };
  const memory_mb = sql`(SELECT memory_mb_overhead FROM cells WHERE id = ${cell}::text)`;
  await commit(widgetCall(project), {
    resource: { type: 'tank', id },
    taken: { when: sql`EXISTS (SELECT FROM tanks WHERE id = ${id}::uuid)`, message: 'There is one.' },
    claims: [{ dimension: 'instances', amount: 1 }],
    needs: [needOf({ id, cell }, { vcpus, disk_gb, memory_mb: raw('cell.memory_mb_overhead') })],
    room: { fits: raw('true'), refusal: full },
    rows: { device: deviceInsert(project, id, 'volume'), tank: insert('tanks', { ...row, memory_mb }, ifAdmitted) },
  });
}

const target = (id: string) => sql`SELECT true AS allowed, NULL AS state, t.disk_gb, t.cell_id FROM k
  JOIN tanks t ON t.project_id = k.project_id WHERE t.id = ${id}::uuid FOR UPDATE OF t`;

async function resizeTank(project: string, { id, cell }: Pick<Tank, 'id' | 'cell'>, disk_gb: number): Promise<void> {
  await commit(widgetCall(project), {
    resource: { type: 'tank', id },
    target: target(id),
    needs: [needOf({ id, cell }, { disk_gb: sql`${disk_gb}::int - target.disk_gb` })],
    room: { fits: raw('true'), refusal: full },
    rows: {
      resized: sql`UPDATE tanks SET disk_gb = ${disk_gb}::int FROM verdict WHERE verdict.ok AND tanks.id = ${id}::uuid`,
    },
  });
}

async function deleteTank(project: string, id: string): Promise<void> {
  await commit(widgetCall(project), {
    resource: { type: 'tank', id },
    target: target(id),
    release: true,
    rows: {
      gone: sql`DELETE FROM tanks USING verdict WHERE verdict.ok AND tanks.id = ${id}::uuid`,
      device_gone: deviceDelete(id),
    },
  });
}

/** A lease holder with a cell of its own, so that none leases operations of another. */
const holder = (): LeaseHolder => ({ id: `worker-${newId()}`, cell_id: newId(), lease_ms: 60_000 });

async function leased(by: LeaseHolder, project: string): Promise<LeasedOperation> {
  const ordered = createWidgetOperation.start(newId(), {});
  await orderOperation({ ...ordered, place: { cell_id: by.cell_id } }, project);
  return leaseOnly(by);
}

async function leaseOnly(by: LeaseHolder): Promise<LeasedOperation> {
  const [operation] = await lease(by, [{ kind: createWidgetOperation.kind, slots: 1 }], 1);
  if (!operation) throw new Error('nothing was leased');
  return operation;
}

/** Runs a step that enlarges a tank by this much. @returns whether there was room */
async function growByStep(project: string, { id, cell }: Pick<Tank, 'id' | 'cell'>, more: number): Promise<boolean> {
  const by = holder();
  const written = await writeTransition(by, await leased(by, project), growth({ id, cell }, more));
  return written?.end === 'done';
}

const growth = ({ id, cell }: Pick<Tank, 'id' | 'cell'>, more: number) =>
  done({
    needs: [needOf({ id, cell }, { disk_gb: more })],
    rows: {
      grown: sql`UPDATE tanks SET disk_gb = disk_gb + ${more}::int FROM verdict WHERE verdict.ok AND tanks.id = ${id}::uuid`,
    },
  });

/** Compares counters, reservations and tanks per cell: the three must always be equal and fit the cell. */
async function expectAgreement(): Promise<void> {
  const sums = (from: string, cell: string) =>
    raw(`(SELECT ARRAY[${['vcpus', 'memory_mb', 'disk_gb'].map((kind) => `coalesce(sum(${kind}), 0)`)}] FROM ${from}
      WHERE cell_id = ${cell})`);
  const ledger = `(SELECT cell_id, ${['vcpus', 'memory_mb', 'disk_gb']
    .map((kind) => `CASE kind WHEN '${kind}' THEN amount END AS ${kind}`)
    .join(', ')} FROM reservations) AS ledger`;
  const rows = await query<{ id: string; counted: number[]; held: number[]; there: number[] }>(sql`
    SELECT c.id, ARRAY[c.vcpus_reserved, c.memory_mb_reserved, c.disk_gb_reserved] AS counted,
      ${sums(ledger, 'c.id')}::int[] AS held, ${sums('tanks', 'c.id')}::int[] AS there FROM cells c ORDER BY c.id`);
  for (const { id, counted, held, there } of rows) {
    expect({ id, counted, held }).toEqual({ id, counted: there, held: there });
    expect(counted[2]).toBeLessThanOrEqual(usable.disk_gb);
    expect(counted[0]).toBeLessThanOrEqual(usable.vcpus);
  }
}

type Action =
  | { do: 'create'; tank: number; cell: number; vcpus: number; disk_gb: number }
  | { do: 'resize'; tank: number; disk_gb: number }
  | { do: 'grow'; tank: number; more: number }
  | { do: 'delete'; tank: number };

const tank = fc.nat(5);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      tank,
      cell: fc.nat(1),
      vcpus: fc.nat(5),
      disk_gb: fc.integer({ min: 1, max: 40 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('resize' as const), tank, disk_gb: fc.integer({ min: 1, max: 50 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('grow' as const), tank, more: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), tank }) },
);

describe('room in cells', () => {
  test('counters, ledger and resources agree, whatever runs concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(action, { minLength: 2, maxLength: 8 }), { maxLength: 4 }),
        async (batches) => {
          const owners = [await tenant(), await tenant()];
          const ids = Array.from({ length: 6 }, () => newId());
          // The cell of each tank: a create in another cell is another tank.
          const placeOf = (index: number) => ({ id: ids[index] ?? '', cell: CELLS[index % 2] ?? '' });
          const perform = async (one: Action) => {
            const project = owners[one.tank % 2] ?? '';
            const place = placeOf(one.tank);
            if (one.do === 'create') return createTank(project, { ...place, vcpus: one.vcpus, disk_gb: one.disk_gb });
            if (one.do === 'resize') return resizeTank(project, place, one.disk_gb);
            if (one.do === 'delete') return deleteTank(project, place.id);
            const there = await queryOne(sql`SELECT FROM tanks WHERE id = ${place.id}::uuid`);
            if (there) await growByStep(project, place, one.more);
          };
          for (const batch of batches) {
            // A step only enlarges tanks that the batch does not delete: a real delete would supersede its operation.
            const deleted = new Set(batch.flatMap((one) => (one.do === 'delete' ? [one.tank] : [])));
            const chosen = batch.filter((one) => one.do !== 'grow' || !deleted.has(one.tank));
            const results = await Promise.allSettled(chosen.map(perform));
            for (const result of results)
              if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ApiError);
            await expectAgreement();
          }
          for (const index of ids.keys())
            await deleteTank(owners[index % 2] ?? '', ids[index] ?? '').catch(() => undefined);
          await expectAgreement();
          expect(await queryOne(sql`SELECT FROM reservations`)).toBeUndefined();
        },
      ),
      { numRuns: runs(10, 25) },
    );
  }, 180_000);

  test('fifty parallel creates of two projects fill a cell to its last vCPU and no further', async () => {
    const owners = [await tenant(), await tenant()];
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) =>
        createTank(owners[n % 2] ?? '', { id: newId(), cell: 'north', vcpus: 1, disk_gb: 1 }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(usable.vcpus);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toBe(full);
    await expectAgreement();
    const project = owners[0] ?? '';
    for (const { id, project_id } of await query<{ id: string; project_id: string }>(
      sql`SELECT id, project_id FROM tanks`,
    ))
      await deleteTank(project_id, id);
    await expectAgreement();
    await createTank(project, { id: newId(), cell: 'north', vcpus: 8, disk_gb: 1 });
  });

  test('is checked last, and an unknown cell has none', async () => {
    const project = await tenant();
    await setLimits(project, { instances: 0 });
    const large = { id: newId(), cell: 'south', vcpus: 1, disk_gb: 61 };
    await expect(createTank(project, large)).rejects.toMatchObject({ status: 403 });
    await setLimits(project, { instances: 1 });
    await expect(createTank(project, large)).rejects.toBe(full);
    await expect(createTank(project, { ...large, cell: 'west', disk_gb: 1 })).rejects.toBe(full);
    await expectAgreement();
  });

  test('a step without room waits with a reason, writes nothing else, and continues when there is room', async () => {
    const project = await tenant();
    const [small, other] = [newId(), newId()].map((id) => ({ id, cell: 'south', vcpus: 0, disk_gb: 30 }));
    if (!small || !other) throw new Error('two tanks');
    await createTank(project, small);
    await createTank(project, other);
    const by = holder();
    const operation = await leased(by, project);
    const steps: OperationSteps = {
      kind: operation.kind,
      concurrency: 1,
      run: async () => growth(small, 10),
      failed: async () => done(),
    };
    const work = (of: LeasedOperation) =>
      carryOn(
        by,
        { operation: of, interrupt: new AbortController(), deadline: performance.now() + 60_000 },
        steps,
        () => 0,
      );
    expect(await work(operation)).toBe(5000);
    const state = () => operationsOf(operation.resource_id);
    expect(await state()).toMatchObject([
      { status: 'running', stage: operation.stage, error: 'Waiting for free capacity on the host.', lease_owner: null },
    ]);
    expect(await queryOne(sql`SELECT disk_gb FROM tanks WHERE id = ${small.id}::uuid`)).toEqual({ disk_gb: 30 });
    await expectAgreement();

    await deleteTank(project, other.id);
    await execute(sql`UPDATE operations SET run_at = platform_now() WHERE id = ${operation.id}::uuid`);
    await work(await leaseOnly(by));
    expect(await state()).toMatchObject([{ status: 'succeeded', error: null }]);
    expect(await logOf(operation.resource_id)).toEqual([`stage ${operation.stage}`, `info ${operation.stage} Done.`]);
    expect(await queryOne(sql`SELECT disk_gb FROM tanks WHERE id = ${small.id}::uuid`)).toEqual({ disk_gb: 40 });
    await expectAgreement();
  });

  test('counters can be recomputed from the ledger', async () => {
    await execute(sql`UPDATE cells SET vcpus_reserved = 99, memory_mb_reserved = 99, disk_gb_reserved = 99`);
    for (const cell of CELLS) await execute(sql`SELECT recount_cell(${cell}::text)`);
    await expectAgreement();
  });
});

async function tenant(): Promise<string> {
  const { id } = await createProject();
  await setLimits(id, { instances: 1000 });
  return id;
}
