import { ApiError, type ErrorCode } from '@/lib/core/api/errors';
import { EngineError, reasonOf } from '@/lib/engines/error';
import { log } from '@/lib/log';

/** Why the pool has not run an event, for its caller. */
export function refusalOf(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  if (error instanceof EngineError) {
    const code = error.code === 'CAPACITY_EXHAUSTED' ? 'CAPACITY_EXHAUSTED' : 'ENGINE_UNAVAILABLE';
    return { code, message: reasonOf(error) };
  }
  log.error({ err: error }, 'an invocation failed');
  return { code: 'INTERNAL_ERROR', message: 'The invocation failed.' };
}
