import type { AnyEndpoint } from './endpoint';
import type { ErrorCode } from './errors';

/** All error codes that an endpoint can return: those of its kind and those it declares. */
export function errorCodes(endpoint: AnyEndpoint): Set<ErrorCode> {
  const everywhere = ['INVALID_REQUEST', 'RATE_LIMITED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const;
  const codes = new Set<ErrorCode>([...everywhere, ...endpoint.errors]);
  if (endpoint.access !== 'public') {
    for (const code of ['UNAUTHENTICATED', 'FORBIDDEN'] as const) codes.add(code);
    if (endpoint.realm === 'tenant') codes.add('TENANT_SUSPENDED');
  }
  // Tenant endpoints also return it for the project of X-Project-Id.
  if (endpoint.params || endpoint.realm === 'tenant') codes.add('RESOURCE_NOT_FOUND');
  if (endpoint.body || endpoint.upload || endpoint.form) codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (endpoint.versioned && endpoint.method !== 'GET') codes.add('PRECONDITION_FAILED');
  if (endpoint.freezable) codes.add('BUDGET_FROZEN');
  if (endpoint.idempotency !== 'none') codes.add('IDEMPOTENCY_KEY_REUSED').add('IDEMPOTENCY_IN_PROGRESS');
  return codes;
}
