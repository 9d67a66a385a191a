/** All error codes and their statuses (api conventions; spec 7). The list is closed: clients can switch on it. */
export const errorStatus = {
  INVALID_REQUEST: 400,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  TOTP_INVALID: 401,
  BUDGET_FROZEN: 402,
  PAYMENT_FAILED: 402,
  FORBIDDEN: 403,
  TENANT_SUSPENDED: 403,
  RESOURCE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  ENGINE_ERROR: 502,
  ENGINE_UNAVAILABLE: 503,
  CAPACITY_EXHAUSTED: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** Default Retry-After in seconds: every 429 and 503 carries the header. */
const retryAfter: { [Code in ErrorCode]?: number } = {
  RATE_LIMITED: 1,
  SERVICE_UNAVAILABLE: 1,
  ENGINE_UNAVAILABLE: 30,
  CAPACITY_EXHAUSTED: 60,
};

/** An error returned to the caller. The message is public; details for operators only go into `cause`. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly options: { headers?: Record<string, string>; cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = errorStatus[code];
  }

  /** The response headers of this error. */
  get headers(): Record<string, string> {
    const seconds = retryAfter[this.code];
    return { ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }), ...this.options.headers };
  }

  /** The error record of spec 2.2. */
  body(at: Date): object {
    return { error: { code: this.code, message: this.message, status: this.status, timestamp: at.toISOString() } };
  }
}

/** A refusal by quota: 403 with only the quota-breach record of spec 2.3. */
export class QuotaBreach extends ApiError {
  constructor(detail: string) {
    super('FORBIDDEN', detail);
  }

  override body(): object {
    return { detail: this.message };
  }
}

/**
 * 404 for something that does not exist or belongs to another tenant. The back office has no project: `where` is `''`.
 */
export function notFound(what: string, where: ' in this project' | '' = ' in this project'): ApiError {
  return new ApiError('RESOURCE_NOT_FOUND', `${what} was not found${where}.`);
}

/** 404 for an id in a request body that does not exist or belongs to another tenant. */
export function noSuch(field: string, what: string): ApiError {
  return new ApiError('RESOURCE_NOT_FOUND', `${field}: no such ${what} in this project.`);
}

/** 409 for a wrong state, a name already taken, or a resource in use. */
export function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', message);
}

/** 400; the message names the field and how to fix it. */
export function invalid(message: string): ApiError {
  return new ApiError('INVALID_REQUEST', message);
}
