import { callerKey } from '@/lib/core/api/caller';
import { type ProjectCall, Reply } from '@/lib/core/api/endpoint';
import { ApiError } from '@/lib/core/api/errors';
import { signalChange } from '@/lib/core/db/changes';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { cellOf, forgetCell } from './cells';
import { poolOf } from './pool/client';
import { refusalOf } from './pool/refusal';
import {
  ASYNC_PAYLOAD_BYTES,
  type InvocationResult,
  type Invoke,
  type QueuedInvocation,
  SYNC_PAYLOAD_BYTES,
} from './schema';

/** Events of a function that may wait. */
const MOST_QUEUED = 100_000;

/**
 * Runs a function for one event, or queues it. The history of the function is the record of it: there is no audit entry.
 * @throws ApiError 404, 413, 429 beyond its concurrency, 503
 */
export async function invokeFunction(
  call: ProjectCall,
  id: string,
  { payload, mode }: Invoke,
): Promise<Reply<InvocationResult | QueuedInvocation>> {
  call.record.resource = { type: 'function', id };
  const invocation_id = newId();
  if (mode === 'async') {
    await enqueue(call, { id, invocation_id, payload });
    call.record.audited = true;
    return new Reply<QueuedInvocation>({ invocation_id, status: 'queued' }, { status: 202 });
  }
  const answer = await run(call, { id, invocation_id, payload });
  call.record.audited = true;
  const { status, result, error, duration_ms, memory_mb, cold_start } = answer;
  return new Reply<InvocationResult>({
    invocation_id,
    status,
    // It was JSON on its way here.
    result: result as InvocationResult['result'],
    ...(error === null ? {} : { error }),
    duration_ms,
    memory_mb,
    cold_start,
    logs_url: `/api/v1/functions/${id}/logs?invocation_id=${invocation_id}`,
  });
}

type Event = { id: string; invocation_id: string; payload: Invoke['payload'] };

const callerOf = ({ caller }: ProjectCall) => ({ kind: caller.kind, id: callerKey(caller) });

async function run(call: ProjectCall, { id, invocation_id, payload }: Event) {
  const size = Buffer.byteLength(JSON.stringify(payload));
  if (size > SYNC_PAYLOAD_BYTES) throw tooLarge(SYNC_PAYLOAD_BYTES);
  const cell = await cellOf(call.project_id, id);
  try {
    return await poolOf(cell).invoke({
      invocation_id,
      project_id: call.project_id,
      function_id: id,
      epoch: call.caller.membership?.functions_epoch ?? null,
      trigger: 'api',
      caller: callerOf(call),
      payload,
    });
  } catch (error) {
    forgetCell(call.project_id, id);
    if (error instanceof ApiError) throw error;
    const { code, message } = refusalOf(error);
    throw new ApiError(code, message, { cause: error });
  }
}

const tooLarge = (most: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', `payload: must be at most ${most / 1024} KB of JSON.`);

async function enqueue(call: ProjectCall, { id, invocation_id, payload }: Event): Promise<void> {
  const text = JSON.stringify(payload);
  if (Buffer.byteLength(text) > ASYNC_PAYLOAD_BYTES) throw tooLarge(ASYNC_PAYLOAD_BYTES);
  const queued = await execute(sql`
    INSERT INTO function_invocations (id, project_id, function_id, cell_id, mode, trigger, status, caller, payload, created_at, next_attempt_at)
    SELECT ${invocation_id}::uuid, f.project_id, f.id, f.cell_id, 'async', 'api', 'queued', ${JSON.stringify(callerOf(call))}::jsonb,
      ${text}::text, platform_now(), platform_now()
    FROM functions f WHERE f.project_id = ${call.project_id}::uuid AND f.id = ${id}::uuid
      AND (SELECT count(*) FROM (SELECT FROM function_invocations i WHERE i.project_id = f.project_id AND i.function_id = f.id
        AND i.status = 'queued' LIMIT ${MOST_QUEUED}::int) AS waiting) < ${MOST_QUEUED}::int`);
  // Either it is not there, or too many wait.
  if (queued === 0) await cellOf(call.project_id, id, false);
  if (queued === 0) throw new ApiError('RATE_LIMITED', `The function has ${MOST_QUEUED} events waiting already.`);
  signalChange();
}
