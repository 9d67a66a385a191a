import { z } from 'zod';
import { type AnyEndpoint, fullPath } from './endpoint';
import { errorCodes } from './error-codes';
import { type ErrorCode, errorStatus } from './errors';
import { errorRecord, quotaBreachRecord } from './schemas';

type Json = { [name: string]: unknown };

const COMPONENTS = '#/components/schemas/';

/**
 * The OpenAPI 3.1 document of the endpoints, generated from the schemas that validate requests and answers (spec 9.1).
 * Schemas with an id (`.meta({ id })`) become components; `tags` describes the groups that endpoints name.
 */
export function openApiDocument(
  endpoints: readonly AnyEndpoint[],
  tags: Readonly<Record<string, string>>,
  baseUrl: string,
): Json {
  const components: Json = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => jsonSchema(schema, io, components);
  const paths: { [path: string]: Json } = {};
  for (const endpoint of endpoints) {
    const path = fullPath(endpoint);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, schemaOf) };
  }
  const used = [...new Set(endpoints.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Nephele',
      version: '1.0.0',
      summary: 'A cloud platform that starts on one machine and grows from there.',
      description:
        'Instances, networks, storage, secrets, billing and audit for the projects of tenants. ' +
        'Paths under `/admin/api/v1` belong to the back office and require an administrator session token.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This platform' }],
    security: [{ bearer: [] }],
    tags: used.map((name) => ({ name, description: tags[name] })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token from `POST /api/v1/auth/login`, an API token (`neph_…`), or STS credentials.',
        },
        administrator: {
          type: 'http',
          scheme: 'bearer',
          description: 'An administrator session token from `POST /admin/api/v1/auth/login`.',
        },
      },
    },
  };
}

type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Json;

function operation(endpoint: AnyEndpoint, schemaOf: SchemaOf): Json {
  return {
    operationId: endpoint.operation_id,
    summary: endpoint.summary,
    description: description(endpoint),
    tags: [endpoint.tag],
    ...(endpoint.access === 'public' ? { security: [] } : {}),
    ...(endpoint.realm === 'backoffice' && endpoint.access !== 'public' ? { security: [{ administrator: [] }] } : {}),
    parameters: parameters(endpoint, schemaOf),
    ...requestBody(endpoint, schemaOf),
    responses: { ...successes(endpoint, schemaOf), ...failures(endpoint, schemaOf) },
  };
}

function description(endpoint: AnyEndpoint): string {
  const needs: { [access: string]: string } = {
    public: 'Requires no credentials.',
    person: 'For signed-in users, on their own account.',
    project_person: 'For signed-in users in their project; not for tokens.',
    any: 'Requires any valid credential.',
    administrator: 'For platform administrators.',
    administrator_account: 'For platform administrators, on their own account.',
  };
  const sentences = [
    endpoint.description,
    needs[endpoint.access] ?? `Requires the \`${endpoint.access}\` role.`,
    endpoint.claims.length > 0
      ? `Counts against the quota ${endpoint.claims.map((claim) => `\`${claim}\``).join(', ')}.`
      : undefined,
    endpoint.freezable ? 'Refused while the budget is frozen.' : undefined,
  ];
  return sentences.filter((sentence) => sentence !== undefined).join(' ');
}

function parameters(endpoint: AnyEndpoint, schemaOf: SchemaOf): Json[] {
  const of = (place: 'path' | 'query', shape: z.ZodObject | undefined) =>
    Object.entries(shape?.shape ?? {}).map(([name, schema]) => {
      const described = schemaOf(schema as z.ZodType, 'input');
      const required = place === 'path' || !(schema as z.ZodType).safeParse(undefined).success;
      return {
        name,
        in: place,
        required,
        schema: described,
        ...(described.description ? { description: described.description } : {}),
      };
    });
  const header = (name: string, text: string) => ({
    name,
    in: 'header',
    required: false,
    description: text,
    schema: { type: 'string' },
  });
  return [
    ...of('path', endpoint.params),
    ...of('query', endpoint.form ? undefined : endpoint.query),
    ...(endpoint.realm === 'tenant' && endpoint.access !== 'public'
      ? [
          header(
            'X-Project-Id',
            'The project to act in, for users who belong to several. Defaults to the project they joined first.',
          ),
        ]
      : []),
    ...(endpoint.versioned && endpoint.method !== 'GET'
      ? [
          header(
            'If-Match',
            'The `ETag` from the last read; 412 if the resource has changed since. If omitted, the change always applies.',
          ),
        ]
      : []),
    ...(endpoint.idempotency === 'none'
      ? []
      : [header('Idempotency-Key', 'For 24 hours, a retry with the same key returns the first successful response.')]),
  ];
}

function requestBody(endpoint: AnyEndpoint, schemaOf: SchemaOf): Json {
  if (endpoint.upload) {
    const bytes = { type: 'string', format: 'binary' };
    const form = endpoint.body && schemaOf(endpoint.body, 'input');
    const schema = (type: string) => (type.startsWith('multipart/') && form) || bytes;
    const content = Object.fromEntries(endpoint.upload.content_types.map((type) => [type, { schema: schema(type) }]));
    if (endpoint.upload.or_json && form) {
      return { requestBody: { required: true, content: { 'application/json': { schema: form }, ...content } } };
    }
    return { requestBody: { required: true, content } };
  }
  if (endpoint.form && endpoint.query) {
    const schema = schemaOf(endpoint.query, 'input');
    return { requestBody: { required: false, content: { 'application/x-www-form-urlencoded': { schema } } } };
  }
  if (!endpoint.body) return {};
  const required = !endpoint.body.safeParse({}).success;
  return { requestBody: { required, content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } } } };
}

function successes(endpoint: AnyEndpoint, schemaOf: SchemaOf): Json {
  const entries = Object.entries(endpoint.responses).map(([status, declared]) => {
    const json = declared !== null && 'alternative' in declared ? declared.json : declared;
    const isList = json !== null && !('stream' in json) && json.type === 'array';
    const text = (description: string) => ({ description, schema: { type: 'string' } });
    const headers = {
      ...(isList ? { Link: text('The next page, `rel="next"`, if there is one (RFC 8288).') } : {}),
      ...(endpoint.versioned ? { ETag: text('The version, for `If-Match` (RFC 9110).') } : {}),
    };
    const named = Object.keys(headers).length > 0 ? { headers } : {};
    return [status, { description: statusText[status] ?? 'Done.', ...named, ...content(declared, schemaOf) }];
  });
  return Object.fromEntries(entries);
}

function content(declared: AnyEndpoint['responses'][number], schemaOf: SchemaOf): Json {
  if (declared === null || declared === undefined) return {};
  if ('stream' in declared) return { content: { [declared.stream]: { schema: { type: 'string' } } } };
  if ('alternative' in declared) {
    const { json, alternative } = declared;
    return {
      content: {
        'application/json': { schema: schemaOf(json, 'output') },
        [alternative]: { schema: { type: 'string' } },
      },
    };
  }
  return { content: { 'application/json': { schema: schemaOf(declared, 'output') } } };
}

function failures(endpoint: AnyEndpoint, schemaOf: SchemaOf): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodes(endpoint)) {
    const status = errorStatus[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const record = schemaOf(errorRecord, 'output');
  const entries = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => {
      const breach = status === 403 && endpoint.claims.length > 0;
      const schema = breach ? { anyOf: [record, schemaOf(quotaBreachRecord, 'output')] } : record;
      const headers = status === 429 || status === 503 ? { headers: { 'Retry-After': retryAfterHeader } } : {};
      const description = codes.map((code) => `\`${code}\``).join(', ');
      return [String(status), { description, ...headers, content: { 'application/json': { schema } } }];
    });
  return Object.fromEntries(entries);
}

const retryAfterHeader = { description: 'Seconds to wait before retrying.', schema: { type: 'string' } };

const statusText: { [status: string]: string } = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; the operation continues in the background.',
  204: 'Done; the response has no body.',
};

/** A schema as JSON Schema 2020-12, with named parts moved to the components. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const {
    $schema: _,
    $defs,
    ...whole
  } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    reused: 'inline',
  }) as Json & { $defs?: Json };
  for (const [name, part] of Object.entries($defs ?? {})) components[name] = relinked(part);
  const named = schema.meta()?.id;
  if (typeof named === 'string' && !('$ref' in whole)) {
    components[named] = relinked(whole);
    return { $ref: `${COMPONENTS}${named}` };
  }
  return relinked(whole) as Json;
}

/** Points references within a schema to the components and drops zod's own ids. */
function relinked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relinked);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name, member]) => !(name === 'id' && typeof member === 'string' && 'type' in value))
    .map(([name, member]) => [
      name,
      name === '$ref' && typeof member === 'string' ? member.replace('#/$defs/', COMPONENTS) : relinked(member),
    ]);
  return Object.fromEntries(entries);
}
