/** An API error or failed connection, as the portal handles it. */
export class ApiError extends Error {
  override name = 'ApiError';

  constructor(
    /** An API error code, `QUOTA_EXCEEDED` for a quota breach, or `CONNECTION_LOST` when there was no answer. */
    readonly code: string,
    message: string,
    readonly status: number,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }

  /** Whether a retry is likely to succeed soon. */
  get passing(): boolean {
    return this.code === 'CONNECTION_LOST' || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/** The server did not answer: stopped, restarting, or unreachable. */
export function connectionLost(): ApiError {
  return new ApiError(
    'CONNECTION_LOST',
    'Nephele is not responding. Check your connection, or try again later.',
    0,
    undefined,
  );
}

/** Parses an error answer: the error record (spec 2.2), the quota-breach record (2.3), Prometheus' own, or a proxy's page. */
export async function readError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body: unknown = await response.json().catch(() => undefined);
  if (isRecord(body) && isRecord(body.error)) {
    return new ApiError(String(body.error.code), String(body.error.message), response.status, requestId);
  }
  if (isRecord(body) && typeof body.error === 'string') {
    return new ApiError(String(body.errorType), body.error, response.status, requestId);
  }
  if (isRecord(body) && typeof body.detail === 'string') {
    return new ApiError('QUOTA_EXCEEDED', body.detail, response.status, requestId);
  }
  const message = `The server answered with status ${response.status} and no explanation.`;
  return new ApiError(`HTTP_${response.status}`, message, response.status, requestId);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Splits an API message by the fields of a form (`name: Give it a name. size_gb: At least 1.`), plus the rest. */
export function splitByField(
  message: string,
  fields: readonly string[],
): { byField: Map<string, string>; rest: string } {
  const byField = new Map<string, string>();
  const marks = [...message.matchAll(/(?:^|\s)([a-z][\w.[\]]*): /g)].filter(
    ([, name]) => name && fieldOf(name, fields),
  );
  const rest = message.slice(0, marks[0]?.index ?? message.length).trim();
  marks.forEach((mark, position) => {
    const [text, name = ''] = mark;
    const field = fieldOf(name, fields);
    const says = message.slice(mark.index + text.length, marks[position + 1]?.index).trim();
    if (field && !byField.has(field)) byField.set(field, says.charAt(0).toUpperCase() + says.slice(1));
  });
  return { byField, rest };
}

/** The form field of an API field: `rules.0.cidr` and `rules[0]` belong to `rules` if the form has no closer one. */
function fieldOf(name: string, fields: readonly string[]): string | undefined {
  for (
    let path = name.replaceAll(/\[\d+\]/g, '');
    path !== '';
    path = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  ) {
    if (fields.includes(path)) return path;
  }
  return undefined;
}
