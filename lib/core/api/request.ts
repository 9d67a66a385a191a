import { z } from 'zod';
import { holdsCardNumber } from './card-numbers';
import type { Upload, UploadRules } from './endpoint';
import { ApiError, invalid, notFound } from './errors';
import { issueWords } from './issue-words';

/** The size limit of JSON bodies; uploads have their own limits. */
export const JSON_BODY_BYTES = 1024 * 1024;

/** Reads a body up to a limit. @throws ApiError 413 as soon as the limit is exceeded */
export async function readBody(request: Request, mostBytes: number): Promise<Uint8Array> {
  // Accessing the stream of a body makes the adapter build a whole Request around the connection.
  if (request.method === 'GET' || request.method === 'HEAD') return new Uint8Array();
  const declared = request.headers.get('content-length');
  // The server reads no more than the declared length.
  if (declared !== null && Number(declared) > mostBytes) throw tooLarge(mostBytes);
  try {
    return declared === null ? await readChunks(request, mostBytes) : new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('INVALID_REQUEST', 'The body ended early: the connection was closed.', { cause: error });
  }
}

async function readChunks(request: Request, mostBytes: number): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const typeOf = (request: Request) => request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';

/** Whether the body is streamed: always, except where the endpoint takes JSON too. */
export const isUpload = (request: Request, { content_types, or_json }: UploadRules): boolean =>
  !or_json || content_types.includes(typeOf(request));

/** The upload of a request. Its stream fails with 413 beyond the endpoint's limit. */
export function openUpload(request: Request, { content_types, max_bytes }: UploadRules): Upload {
  const content_type = request.headers.get('content-type') ?? '';
  const type = typeOf(request);
  if (!content_types.includes(type)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${content_types.join(' or ')}.`);
  }
  const header = request.headers.get('content-length');
  const content_length = header === null ? null : Number(header);
  if (content_length !== null && content_length > max_bytes) throw tooLarge(max_bytes);
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > max_bytes) controller.error(tooLarge(max_bytes));
      else controller.enqueue(chunk);
    },
  });
  const source = request.body ?? new Blob([]).stream();
  return { stream: source.pipeThrough(limit), content_type, content_length };
}

/** Parses a JSON body with a schema. An absent body counts as `{}`. */
export function parseJsonBody(bytes: Uint8Array, contentType: string | null, schema: z.ZodType): unknown {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (bytes.byteLength > 0 && type !== 'application/json' && !/^application\/[a-z0-9.-]+\+json$/.test(type)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON with the header `Content-Type: application/json`.');
  }
  return check(schema, bytes.byteLength === 0 ? {} : readJson(bytes), 'body');
}

/** Refuses a request with a card number before any message, log line or stored hash can contain it. */
export function refuseCardNumbers(bytes: Uint8Array, search: string): void {
  const text = `${new TextDecoder().decode(bytes)}\n${new URLSearchParams(search)}`.replaceAll('+', ' ');
  const unescaped = text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  if (holdsCardNumber(unescaped)) {
    throw invalid(
      'This looks like a card number. Never send one here: send the token (pm_…) from the payment processor instead.',
    );
  }
}

/** The fields of a form. */
export function parseForm(bytes: Uint8Array, contentType: string | null): URLSearchParams {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (bytes.byteLength > 0 && type !== 'application/x-www-form-urlencoded') {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send a form with the header `Content-Type: application/x-www-form-urlencoded`.',
    );
  }
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/** Query parameters, each at most once; a parameter that is an array in the schema may appear several times. */
export function parseQuery(search: URLSearchParams, schema: z.ZodObject | undefined): unknown {
  const names = [...search.keys()];
  const lists = Object.entries(schema?.shape ?? {}).flatMap(([name, field]) => (isList(field) ? [name] : []));
  const twice = names.find((name, index) => names.indexOf(name) !== index && !lists.includes(name));
  if (twice !== undefined) throw invalid(`${clip(twice)}: this query parameter must appear only once.`);
  if (!schema) {
    if (names[0] !== undefined) throw invalid(`Unknown query parameter ${quote(names[0])}.`);
    return undefined;
  }
  const given = lists.filter((name) => search.has(name)).map((name) => [name, search.getAll(name)]);
  return check(schema, { ...Object.fromEntries(search), ...Object.fromEntries(given) }, 'query');
}

/** Whether a parameter may be repeated. */
function isList(field: z.core.$ZodType): boolean {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault) return isList(field.def.innerType);
  return field instanceof z.ZodArray;
}

/** Parses path parameters. A malformed id or name cannot exist: 404. */
export function parseParams(params: Record<string, string>, schema: z.ZodType | undefined): unknown {
  if (!schema) return undefined;
  const parsed = hasUnstorableText(params) ? undefined : schema.safeParse(params);
  if (!parsed?.success) throw notFound('The resource', '');
  return parsed.data;
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ApiError('INVALID_REQUEST', 'The body is not valid UTF-8 encoded JSON.', { cause: error });
  }
}

/** Parses a body nested in another one; errors name the fields of the nested body. */
export const parseBody = (value: unknown, schema: z.ZodType): unknown => check(schema, value, 'body');

function check(schema: z.ZodType, value: unknown, place: 'body' | 'query'): unknown {
  if (hasUnstorableText(value))
    throw invalid(`${place}: strings must not contain NUL characters or unpaired surrogates.`);
  const parsed = schema.safeParse(value, { error: issueWords });
  if (parsed.success) return parsed.data;
  throw invalid(describe(parsed.error.issues, place));
}

/** The first few problems in words, each with its field. */
function describe(issues: readonly z.core.$ZodIssue[], place: 'body' | 'query'): string {
  const sentences = issues.slice(0, 5).map((issue) => {
    const field = issue.path.map(String).join('.');
    if (issue.code === 'unrecognized_keys') {
      const where = field === '' ? '' : ` in ${field}`;
      const kind = place === 'query' ? 'query parameter' : 'field';
      return `Unknown ${kind} ${issue.keys.map(quote).join(', ')}${where}.`;
    }
    return `${field === '' ? place : clip(field)}: ${issue.message}${issue.message.endsWith('.') ? '' : '.'}`;
  });
  return [...new Set(sentences)].join(' ');
}

const MOST_DEPTH = 64;

/** Whether a value has text that PostgreSQL cannot store (NUL, lone surrogates) or nests too deeply. */
function hasUnstorableText(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.includes('\u0000') || /\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth > MOST_DEPTH) return true;
  return Object.entries(value).some(
    ([name, member]) => hasUnstorableText(name) || hasUnstorableText(member, depth + 1),
  );
}

function tooLarge(mostBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${mostBytes} bytes.`);
}

function quote(name: string): string {
  return `"${clip(name)}"`;
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
