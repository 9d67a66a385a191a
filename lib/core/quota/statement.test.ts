import { expect, test, vi } from 'vitest';
import { ApiError } from '@/lib/core/api/errors';
import { compile, insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { widgetCall } from '@/lib/testing/widgets';
import { admission, ifAdmitted, type Write } from './commit';

vi.mock('@/lib/money/budget/freeze', () => ({ frozen: raw('is_frozen(k)') }));

const project = '00000000-0000-4000-8000-000000000001';
const id = '00000000-0000-4000-8000-000000000002';
const resource = { type: 'widget', id, name: 'lamp' };
const target = sql`SELECT w.status = 'idle' AS allowed, w.status AS state, w.size FROM k JOIN widgets w ON w.project_id = k.project_id
  WHERE w.id = ${id}::uuid FOR UPDATE OF w`;
const changed = sql`UPDATE widgets SET status = 'busy' FROM verdict WHERE verdict.ok AND widgets.id = ${id}::uuid`;
const operation = {
  kind: 'widget.polish',
  resource: { type: 'widget', id },
  stage: 'wet',
  input: { cloth: 'soft' },
  place: { cell_id: 'north' },
  deadline_ms: 60_000,
};

/** A write of each kind that the platform sends. */
const writes: Record<string, Write> = {
  'change of the platform': { resource, project_id: null, rows: { changed }, details: { why: 'test' } },
  'change without claims': { resource, target, topic: 'shelf', rows: { changed } },
  'create with claims and operation': {
    resource,
    taken: { when: sql`EXISTS (SELECT FROM widgets WHERE name = ${'lamp'}::text)`, message: 'Taken.' },
    caps: [
      { held: sql`widgets_held(k.project_id)`, most: 5, setting: 'MAX_WIDGETS', holder: 'It has', things: 'widgets' },
      { held: raw('all_widgets_held()'), most: 50, setting: 'MOST_WIDGETS', holder: 'All have', things: 'widgets' },
    ],
    freezable: true,
    claims: [
      { dimension: 'instances', amount: 1 },
      { dimension: 'ram_gb', amount: '0.5' },
      { dimension: 'vcpus', amount: sql`${2}::int * 2` },
    ],
    rows: { widget: insert('widgets', { id, project_id: project, name: 'lamp', tags: ['a', 'b'] }, ifAdmitted) },
    operation,
    answer: { status: 202, body: { id } },
  },
  'change that needs room': {
    resource,
    target,
    room: { fits: raw('target.size < 3'), refusal: new ApiError('CAPACITY_EXHAUSTED', 'Full.') },
    claims: [{ dimension: 'vcpus', amount: sql`1 - target.size` }],
    rows: { changed },
  },
  'create that takes room in a cell': {
    resource,
    target,
    needs: [
      { cell: 'north', device: id, amounts: { vcpus: 2, memory_mb: raw('512 + cell.memory_mb_overhead'), disk_gb: 0 } },
    ],
    room: { fits: raw('true'), refusal: new ApiError('CAPACITY_EXHAUSTED', 'Full.') },
    rows: { changed },
  },
  'delete with release': { resource, target, release: true, in_use: 'In use.', rows: { changed } },
  'delete by an operation': { resource, target, rows: {}, operation: { ...operation, supersedes: true } },
  'change of credit': { resource, locks: true, rows: {}, details: sql`jsonb_build_object('was', k.credit_usd)` },
};

/** Replaces values that differ between runs: ids, times and sealed bytes. */
function steady(value: unknown): unknown {
  if (value instanceof Date) return 'a time';
  if (value instanceof Uint8Array) return 'bytes';
  return typeof value === 'string' && value !== project && /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(value)
    ? 'a new id'
    : value;
}

async function expectSame(kind: string, statement: Sql): Promise<void> {
  const { text, values } = compile(statement);
  const listed = values.map((value, index) => `-- $${index + 1} ${JSON.stringify(steady(value))}\n`).join('');
  await expect(`${text}\n\n${listed}`).toMatchFileSnapshot(`statements/${kind.replaceAll(' ', '-')}.sql`);
}

test.each(Object.entries(writes))('the statement of a %s stays the same', async (kind, write) => {
  await expectSame(kind, admission(widgetCall(project), write));
});

test('the statement of a create with an Idempotency-Key stays the same', async () => {
  const kind = 'create with claims and operation';
  const idempotency = { id: Buffer.alloc(32), request_hash: Buffer.alloc(32), recorded: false };
  const call = { ...widgetCall(project), record: { audited: false, idempotency } };
  await expectSame(`${kind} and key`, admission(call, writes[kind] ?? { resource, rows: {} }));
});
