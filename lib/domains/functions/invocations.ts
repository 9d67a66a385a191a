import { z } from 'zod';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { equals, listOf } from '@/lib/core/api/list';
import { queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { cellOf } from './cells';
import { poolOf } from './pool/client';
import { type FunctionLogLine, functionLogLine, type Invocation, invocationQuery } from './schema';
import { readFunction } from './service';
import { type InvocationRow, invocationColumns, viewInvocation } from './view';

const list = listOf({
  query: invocationQuery,
  columns: invocationColumns,
  from: raw('function_invocations i'),
  id: 'i.id',
  where: ({ call, id }: { call: ProjectCall; id: string }) =>
    sql`i.project_id = ${call.project_id}::uuid AND i.function_id = ${id}::uuid`,
  filters: { status: equals('i.status'), mode: equals('i.mode'), trigger: equals('i.trigger') },
  view: (row: InvocationRow) => viewInvocation(row),
});

/** After this, the history is read without waiting for its pool. */
const WRITTEN_WITHIN_MS = 2000;

/** Waits until the history of a cell has what callers were told: their pool writes it a moment later (docs/decisions/0151). */
export async function historyWritten(cell: string): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, WRITTEN_WITHIN_MS).unref());
  const written = async () => poolOf(cell).written();
  await Promise.race([late, written().catch((error) => log.debug({ err: error }, 'a pool of functions is away'))]);
}

/** Invocations of a function, newest first. @throws ApiError 404 */
export async function listInvocations(call: ProjectCall, id: string, query: z.output<typeof invocationQuery>) {
  await readFunction(call, id);
  await historyWritten(await cellOf(call.project_id, id));
  return list({ call, id }, query);
}

const storedLines = z.array(functionLogLine.omit({ invocation_id: true }));

/** The lines of an attempt as its row has them. */
export const linesOf = (invocationId: string, text: string | null): FunctionLogLine[] =>
  text === null ? [] : storedLines.parse(JSON.parse(text)).map((line) => ({ ...line, invocation_id: invocationId }));

const json = z.json();
const parsed = (text: string | null) => (text === null ? null : json.parse(JSON.parse(text)));

type Row = InvocationRow & {
  payload: string | null;
  result: string | null;
  log: string | null;
  log_truncated: boolean;
};

/** One invocation with payload, result and log. @throws ApiError 404 */
export async function readInvocation(call: ProjectCall, id: string, invocationId: string): Promise<Invocation> {
  await historyWritten(await cellOf(call.project_id, id));
  const row = await queryOne<Row>(sql`SELECT ${invocationColumns}, i.payload, i.result, i.log, i.log_truncated
    FROM function_invocations i WHERE i.project_id = ${call.project_id}::uuid AND i.function_id = ${id}::uuid
      AND i.id = ${invocationId}::uuid`);
  if (!row) throw notFound('The invocation', '');
  return {
    ...viewInvocation(row),
    payload: parsed(row.payload),
    result: parsed(row.result),
    log: linesOf(row.id, row.log),
    log_truncated: row.log_truncated,
  };
}
