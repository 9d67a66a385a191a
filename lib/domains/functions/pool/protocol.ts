import { z } from 'zod';
import { type ErrorCode, errorStatus } from '@/lib/core/api/errors';
import { functionError, triggers } from '../schema';

/** Frames between processes of the platform on one host: results have at most 6 MB. */
export const FRAME_BYTES = 16 * 1024 ** 2;

const poolCall = z.object({
  invocation_id: z.string(),
  project_id: z.string(),
  function_id: z.string(),
  epoch: z.int().nullable(),
  trigger: z.enum(triggers),
  caller: z.object({ kind: z.string(), id: z.string() }).nullable(),
  payload: z.unknown(),
});

/** What a process asks the pool. Answers carry the same number. */
export const poolRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('invoke'), number: z.int(), call: poolCall }),
  z.object({ kind: z.literal('follow'), number: z.int(), function_id: z.string() }),
  z.object({ kind: z.literal('unfollow'), number: z.int() }),
  z.object({ kind: z.literal('write'), number: z.int() }),
]);
export type PoolRequest = z.output<typeof poolRequest>;

const poolAnswer = z.object({
  status: z.enum(['succeeded', 'failed', 'timed_out', 'out_of_memory']),
  result: z.unknown(),
  error: functionError.nullable(),
  duration_ms: z.number(),
  memory_mb: z.int(),
  cold_start: z.boolean(),
});

const isCode = (code: string): code is ErrorCode => code in errorStatus;

export const poolMessage = z.object({
  number: z.int(),
  answer: poolAnswer.optional(),
  refusal: z.object({ code: z.string().refine(isCode), message: z.string() }).optional(),
  lines: z
    .array(
      z.object({
        at: z.string(),
        invocation_id: z.string().nullable(),
        stream: z.enum(['stdout', 'stderr', 'platform']),
        message: z.string(),
        index: z.int(),
      }),
    )
    .optional(),
});
export type PoolMessage = z.output<typeof poolMessage>;
