import { z } from 'zod';
import { now } from '@/lib/clock';
import { endpoint, type ProjectCall } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { NewOperation } from '@/lib/core/operations/enqueue';
import { type Claim, commit, ifAdmitted } from '@/lib/core/quota/commit';
import { type Dimension, dimensions } from '@/lib/core/quota/dimensions';

/**
 * A test-only resource that takes any requested quota. Its row stores `amounts` independently of ledger and account, so
 * that tests can compare the counts with the existing widgets.
 */
export type Amounts = { [D in Dimension]?: number | string };

/** Creates the table of widgets in this test file's database. */
export async function createWidgetTable(): Promise<void> {
  await execute(sql`CREATE TABLE widgets (
    id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects (id), name text NOT NULL,
    status text NOT NULL, status_reason text, amounts jsonb NOT NULL, UNIQUE (project_id, name))`);
}

const claimsOf = (amounts: Amounts): Claim[] =>
  dimensions.flatMap((dimension) => {
    const amount = amounts[dimension];
    return amount === undefined ? [] : [{ dimension, amount }];
  });

export type NewWidget = {
  amounts: Amounts;
  id?: string | undefined;
  name?: string | undefined;
  freezable?: boolean | undefined;
  operation?: ((id: string) => NewOperation) | undefined;
};

/** Creates a widget under its quota. @returns its id */
export async function createWidget(call: ProjectCall, widget: NewWidget): Promise<string> {
  const { id = newId(), amounts, freezable = false } = widget;
  const name = widget.name ?? id;
  const status = widget.operation ? 'provisioning' : 'active';
  const row = { id, project_id: call.project_id, name, status, amounts };
  await commit(call, {
    resource: { type: 'widget', id, name },
    taken: {
      when: sql`EXISTS (SELECT FROM widgets WHERE project_id = ${call.project_id}::uuid AND name = ${name}::text)`,
      message: `name: the project has a widget called "${name}" already.`,
    },
    claims: claimsOf(amounts),
    freezable,
    rows: { widget: insert('widgets', row, ifAdmitted) },
    ...(widget.operation ? { operation: widget.operation(id) } : {}),
    answer: { status: 201, body: { id, name } },
  });
  return id;
}

const target = (id: string, allowed = 'true'): Sql =>
  sql`SELECT ${raw(allowed)} AS allowed, w.status AS state, w.amounts FROM k JOIN widgets w ON w.project_id = k.project_id
      WHERE w.id = ${id}::uuid FOR UPDATE OF w`;

/** Sets how much a widget takes of one dimension; claims or releases the difference. */
export async function resizeWidget(call: ProjectCall, id: string, dimension: Dimension, amount: number | string) {
  const wanted = sql`${String(amount)}::numeric`;
  const present = sql`coalesce((target.amounts ->> ${dimension}::text)::numeric, 0)`;
  await commit(call, {
    resource: { type: 'widget', id },
    target: target(id, "w.status <> 'deleting'"),
    claims: [{ dimension, amount: sql`${wanted} - ${present}` }],
    rows: {
      resized: sql`UPDATE widgets SET amounts = amounts || jsonb_build_object(${dimension}::text, ${wanted})
                   FROM verdict WHERE verdict.ok AND widgets.id = ${id}::uuid`,
    },
  });
}

/** Deletes a widget at once and releases its quota. */
export async function deleteWidget(call: ProjectCall, id: string): Promise<void> {
  await commit(call, {
    resource: { type: 'widget', id },
    target: target(id),
    release: true,
    rows: { gone: sql`DELETE FROM widgets USING verdict WHERE verdict.ok AND widgets.id = ${id}::uuid` },
  });
}

/** Accepts the delete of a widget and leaves the rest to an operation. */
export async function orderDelete(call: ProjectCall, id: string, operation: NewOperation): Promise<void> {
  await commit(call, {
    resource: { type: 'widget', id },
    target: target(id),
    operation,
    rows: {
      marked: sql`UPDATE widgets SET status = 'deleting' FROM verdict WHERE verdict.ok AND widgets.id = ${id}::uuid`,
    },
  });
}

/** A call by a project member, as a handler receives it, for tests without HTTP. */
export function widgetCall(projectId: string): ProjectCall {
  const membership = { project_id: projectId, project_status: 'active', role: 'member' } as const;
  return {
    request_id: newId(),
    at: now(),
    address: '127.0.0.1',
    user_agent: 'test',
    caller: {
      kind: 'user',
      user_id: newId(),
      email: 'a@b.test',
      name: 'a',
      session_id: newId(),
      via: 'bearer',
      initial_password: false,
      membership,
    },
    endpoint: createEndpoint,
    signal: new AbortController().signal,
    record: { audited: false },
    ...membership,
  };
}

const amount = z.number().optional();
const createEndpoint = endpoint({
  method: 'POST',
  path: '/test/widgets',
  operation_id: 'createWidget',
  summary: 'Create a widget',
  tag: 'Test',
  access: 'member',
  body: z.strictObject({
    name: z.string(),
    instances: amount,
    vcpus: amount,
    ram_gb: amount,
    freezable: z.boolean().optional(),
  }),
  responses: { 201: z.strictObject({ id: z.string(), name: z.string() }) },
  errors: ['CONFLICT'],
  claims: ['vcpus', 'ram_gb', 'instances'],
  freezable: true,
  audit: 'widget.create',
  handle: async (call, { body: { name, freezable, ...amounts } }) => ({
    id: await createWidget(call, { name, freezable, amounts }),
    name,
  }),
});

/** The API of widgets: `api(widgetEndpoints)`. */
export const widgetEndpoints = [
  createEndpoint,
  endpoint({
    method: 'DELETE',
    path: '/test/widgets/{id}',
    operation_id: 'deleteWidget',
    summary: 'Delete a widget',
    tag: 'Test',
    access: 'member',
    params: idParams,
    responses: { 204: null },
    audit: 'widget.delete',
    handle: (call, { params }) => deleteWidget(call, params.id),
  }),
];

/** Three counts of one dimension, which must always be equal. */
export type Count = { dimension: Dimension; limit: string; used: string; ledger: string; exists: string };

/** For each dimension: the account's count, the sum of the ledger, and the sum of the existing widgets. */
export async function counts(projectId: string): Promise<Count[]> {
  const selects = dimensions.map(
    (
      d,
    ) => sql`SELECT ${raw(`'${d}'`)} AS dimension, ${raw(`trim_scale(a.${d}_limit) AS limit, trim_scale(a.${d}_used) AS used`)},
      trim_scale((SELECT coalesce(sum(amount), 0) FROM quota_ledger l WHERE l.project_id = a.project_id AND l.dimension = ${raw(`'${d}'`)})) AS ledger,
      trim_scale((SELECT coalesce(sum((amounts ->> ${raw(`'${d}'`)})::numeric), 0) FROM widgets w WHERE w.project_id = a.project_id)) AS exists
      FROM project_accounts a WHERE a.project_id = ${projectId}::uuid`,
  );
  const [first, ...rest] = selects;
  if (!first) return [];
  return query<Count>(rest.reduce((all, next) => sql`${all} UNION ALL ${next}`, first));
}

/** The dimensions in which account, ledger and widgets differ; should be empty. */
export async function miscounted(projectId: string): Promise<Count[]> {
  const all = await counts(projectId);
  return all.filter(({ used, ledger, exists }) => used !== ledger || ledger !== exists);
}

/** Sets limits, as an administrator would. */
export async function setLimits(projectId: string, limits: Amounts): Promise<void> {
  for (const { dimension, amount } of claimsOf(limits)) {
    await execute(
      sql`UPDATE project_accounts SET ${raw(`${dimension}_limit`)} = ${String(amount)}::numeric WHERE project_id = ${projectId}::uuid`,
    );
  }
}

/** The account's count of one dimension. */
export async function usedOf(projectId: string, dimension: Dimension): Promise<string> {
  const row = await queryOne<{ used: string }>(
    sql`SELECT ${raw(`trim_scale(${dimension}_used)`)}::text AS used FROM project_accounts WHERE project_id = ${projectId}::uuid`,
  );
  return row?.used ?? '';
}
