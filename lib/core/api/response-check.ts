import { settings } from '@/lib/settings';
import type { AnyEndpoint } from './endpoint';
import { errorCodes } from './error-codes';
import { ApiError } from './errors';

/**
 * Under test, throws if the endpoint did not declare the answer: OpenAPI promises exactly what is sent. Skipped in
 * production, where it would only cost time.
 */
export function checkResponse(endpoint: AnyEndpoint, status: number, text: string | undefined): void {
  if (settings().nodeEnv !== 'test') return;
  const declared = endpoint.responses[status];
  if (declared === undefined) throw new Error(`${endpoint.operation_id} answered ${status}, which it does not declare`);
  if (declared === null) {
    if (text !== undefined) throw new Error(`${endpoint.operation_id} declares no body for ${status} and sent one`);
    return;
  }
  if ('stream' in declared) return;
  if (text === undefined) throw new Error(`${endpoint.operation_id} declares a body for ${status} and sent none`);
  const schema = 'alternative' in declared ? declared.json : declared;
  const checked = schema.safeParse(JSON.parse(text));
  if (!checked.success) {
    throw new Error(`${endpoint.operation_id} answered outside its schema: ${JSON.stringify(checked.error.issues)}`);
  }
}

/** Under test, throws if the endpoint did not declare the error code. */
export function checkRefusal(endpoint: AnyEndpoint, refusal: ApiError): ApiError {
  if (settings().nodeEnv !== 'test' || errorCodes(endpoint).has(refusal.code)) return refusal;
  return new ApiError('INTERNAL_ERROR', `${endpoint.operation_id} answered ${refusal.code}, which it does not declare`);
}
