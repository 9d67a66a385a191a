import { z } from 'zod';
import { type AnyEndpoint, fullPath } from './endpoint';
import { inProject } from './policy';
import { groupSlug } from './reference';

type Json = { readonly [name: string]: unknown };

/** Modules of the portal's client: TypeScript source by file name. */
export type ClientModules = { readonly [file: string]: string };

/**
 * The portal's operation table, generated from the endpoints. Every page loads `index.ts`, which is therefore small:
 * it lists the operations that need a project, by access, and those that a freeze refuses; others appear only in a type.
 * The rest (path, example, field constraints, filter values, page of the reference) is in one file per subject, loaded by
 * the pages that need it.
 */
export function operationModules(endpoints: readonly AnyEndpoint[]): ClientModules {
  const subjects = [...new Set(endpoints.map(subjectOf))];
  const moduleOf = (subject: string) =>
    endpoints
      .filter((endpoint) => subjectOf(endpoint) === subject)
      .map((endpoint) => `export const ${endpoint.operation_id} = ${JSON.stringify(detailsOf(endpoint))} as const;\n`)
      .join('');
  return {
    'index.ts': accessModule(endpoints),
    ...Object.fromEntries(subjects.map((subject) => [`${subject}.ts`, moduleOf(subject)])),
  };
}

/** The subject of an endpoint: `storage` for `/storage/volumes`; the back office is one subject. */
function subjectOf({ realm, path }: AnyEndpoint): string {
  return realm === 'backoffice' ? 'backoffice' : (path.split('/')[1] ?? '');
}

function accessModule(endpoints: readonly AnyEndpoint[]): string {
  const namesOf = (some: readonly AnyEndpoint[]) => some.map(({ operation_id }) => operation_id);
  const needed = [...inProject].map((access) => [
    access,
    namesOf(endpoints.filter((one) => one.access === access)).join(' '),
  ]);
  const freezable = namesOf(endpoints.filter((one) => one.freezable)).join(' ');
  const names = namesOf(endpoints).map((name) => JSON.stringify(name));
  return [
    `export const needed = ${JSON.stringify(Object.fromEntries(needed))};\n`,
    `export const freezable = ${JSON.stringify(freezable)};\n`,
    `export type OperationId = ${names.join(' | ') || 'never'};\n`,
  ].join('');
}

function detailsOf(endpoint: AnyEndpoint): Json {
  const { operation_id, method, tag, claims, body, query } = endpoint;
  const root = body && jsonSchema(body);
  return {
    id: operation_id,
    method,
    path: fullPath(endpoint),
    ...(claims.length > 0 ? { claims } : {}),
    ...(root ? { group: groupSlug(tag), ...bodyOf(resolved(root, root), root) } : {}),
    ...(query ? { filters: choicesOf(jsonSchema(query)) } : {}),
    ...(query && 'tag' in query.shape ? { tagged: true } : {}),
  };
}

function bodyOf(body: Json, root: Json): Json {
  const fields = fieldsOf(body, root);
  const secrets = fields.filter(([, { format }]) => format === 'password').map(([path]) => path);
  return { example: body.example, fields: constraintsOf(fields), ...(secrets.length > 0 ? { secrets } : {}) };
}

function jsonSchema(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
}

const constraints = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'minItems', 'maxItems', 'enum'];

/** The constraints of each field, by its path: `admin.email`. */
function constraintsOf(fields: readonly Field[]): Json {
  const held = (field: Json) => Object.fromEntries(Object.entries(field).filter(([key]) => constraints.includes(key)));
  return Object.fromEntries(fields.map(([path, field]) => [path, held(field)]));
}

type Field = readonly [path: string, schema: Json];

/** The fields of a body, those of its objects included. */
function fieldsOf(schema: Json, root: Json, prefix = ''): Field[] {
  return Object.entries(record(schema.properties)).flatMap(([name, value]): Field[] => {
    const field = resolved(record(value), root);
    const path = `${prefix}${name}`;
    return field.type === 'object' ? fieldsOf(field, root, `${path}.`) : [[path, field]];
  });
}

/** The list filters that have a fixed set of values. */
function choicesOf(query: Json): Json {
  const entries = Object.entries(record(query.properties)).flatMap(([name, value]): [string, unknown][] => {
    const { enum: values } = resolved(record(value), query);
    return Array.isArray(values) && name !== 'sort' ? [[name, values]] : [];
  });
  return Object.fromEntries(entries);
}

/** A schema with its reference resolved and without `null` alternatives. */
function resolved(schema: Json, root: Json): Json {
  const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/$defs/', '') : undefined;
  if (name !== undefined) return resolved(record(record(root.$defs)[name]), root);
  const values = Array.isArray(schema.anyOf) ? schema.anyOf.map(record).filter(({ type }) => type !== 'null') : [];
  const [value] = values;
  return value !== undefined && values.length === 1 ? resolved(value, root) : schema;
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
