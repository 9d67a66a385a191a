type Json = { readonly [name: string]: unknown };

/** A body field or parameter as shown to readers. */
export interface ReferenceField extends ReferenceShape {
  name: string;
  required: boolean;
}

/** The shape of a value. */
export interface ReferenceShape {
  /** In words: "string (uuid)", "array of object". */
  type: string;
  description?: string;
  /** Further constraints: "default 50", "from 1 to 200". */
  facts: readonly string[];
  /** The allowed values, if few. */
  values: readonly string[];
  /** The fields of an object, or of the objects in a list. */
  fields: readonly ReferenceField[];
  /** The named alternatives of a value with several shapes. */
  variants: readonly ReferenceShape[];
}

export interface ReferenceParameter extends ReferenceField {
  in: 'path' | 'query' | 'header';
  example: string;
}

export interface ReferenceBody {
  content_type: string;
  shape: ReferenceShape;
  /** Formatted JSON; absent for bytes. */
  example?: string;
}

export interface ReferenceOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** Requires no credential. */
  open: boolean;
  parameters: readonly ReferenceParameter[];
  body?: ReferenceBody;
  answers: readonly { status: string; description: string; body?: ReferenceBody }[];
  /** Error statuses with their codes. */
  refusals: readonly { status: string; codes: readonly string[] }[];
}

/** The operations of one subject: a page of the reference. */
export interface ReferenceGroup {
  slug: string;
  name: string;
  description: string;
  operations: readonly ReferenceOperation[];
}

/** The address of a group within the reference: `back-office-tenants` for "Back office: tenants". */
export function groupSlug(tag: string): string {
  return tag
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** An OpenAPI 3.1 document as reference pages, in the order of `tags` (api.md section 1, `/docs`). */
export function reference(document: Json, tags: Readonly<Record<string, string>>): ReferenceGroup[] {
  const schemas = new Schemas(record(record(document.components).schemas));
  const operations = Object.entries(record(document.paths)).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, operation]) => {
      const described = record(operation);
      return { tag: list(described.tags)[0], operation: toOperation(schemas, method, path, described) };
    }),
  );
  return Object.entries(tags)
    .map(([name, description]) => ({
      slug: groupSlug(name),
      name,
      description,
      operations: operations.filter(({ tag }) => tag === name).map(({ operation }) => operation),
    }))
    .filter(({ operations }) => operations.length > 0);
}

function toOperation(schemas: Schemas, method: string, path: string, operation: Json): ReferenceOperation {
  const answers = Object.entries(record(operation.responses));
  const body = operation.requestBody ? schemas.body(record(operation.requestBody)) : undefined;
  return {
    id: String(operation.operationId),
    method: method.toUpperCase(),
    path,
    summary: String(operation.summary),
    description: String(operation.description),
    open: Array.isArray(operation.security) && operation.security.length === 0,
    parameters: list(operation.parameters).map((parameter) => schemas.parameter(record(parameter))),
    ...(body ? { body } : {}),
    answers: answers
      .filter(([status]) => status < '300')
      .map(([status, answer]) => {
        const answered = schemas.body(record(answer));
        return { status, description: String(record(answer).description), ...(answered ? { body: answered } : {}) };
      }),
    refusals: answers
      .filter(([status]) => status >= '300')
      .map(([status, answer]) => ({
        status,
        codes: String(record(answer).description).replaceAll('`', '').split(', '),
      })),
  };
}

/** Reads the parts of JSON Schema 2020-12 that the document uses. */
class Schemas {
  constructor(private readonly components: Json) {}

  parameter(parameter: Json): ReferenceParameter {
    const schema = record(parameter.schema);
    const shape = this.shape(schema);
    const place = parameter.in === 'path' || parameter.in === 'query' ? parameter.in : 'header';
    const example = this.example(schema);
    return {
      ...shape,
      ...(typeof parameter.description === 'string' ? { description: parameter.description } : {}),
      name: String(parameter.name),
      in: place,
      required: parameter.required === true,
      example: typeof example === 'string' ? example : JSON.stringify(example),
    };
  }

  /** The content of a request or response; the first one if there are several media types. */
  body(carrier: Json): ReferenceBody | undefined {
    const [entry] = Object.entries(record(carrier.content));
    if (!entry) return undefined;
    const [content_type, content] = entry;
    const schema = record(record(content).schema);
    const shape = this.shape(schema);
    return content_type === 'application/json'
      ? { content_type, shape, example: JSON.stringify(this.example(schema), null, 2) }
      : { content_type, shape };
  }

  shape(schema: Json, within: readonly string[] = []): ReferenceShape {
    const name = componentOf(schema);
    if (name !== undefined) {
      const cyclic = within.includes(name);
      const shape = cyclic ? empty(name) : this.shape(record(this.components[name]), [...within, name]);
      return typeof schema.description === 'string' ? { ...shape, description: schema.description } : shape;
    }
    const said = typeof schema.description === 'string' ? { description: schema.description } : {};
    return { ...this.typed(schema, within), ...said };
  }

  private typed(given: Json, within: readonly string[]): ReferenceShape {
    const schema = expanded(given);
    if (Array.isArray(schema.anyOf)) return this.oneOf(schema, within);
    if (schema.type === 'array') {
      const items = this.shape(record(schema.items), within);
      const counts = range('items', schema.minItems, schema.maxItems);
      return { ...items, type: `array of ${items.type}`, facts: [...items.facts, ...counts, ...defaultOf(schema)] };
    }
    if (schema.type === 'object') {
      const required = list(schema.required);
      const fields = Object.entries(record(schema.properties)).map(([name, field]) => ({
        ...this.shape(record(field), within),
        name,
        required: required.includes(name),
      }));
      const any = record(schema.additionalProperties);
      const free = fields.length === 0 && Object.keys(any).length > 0;
      const values = free ? this.shape(any, within) : undefined;
      return {
        ...empty(values ? `map of string to ${values.type}` : 'object'),
        fields: values ? values.fields : fields,
        facts: defaultOf(schema),
      };
    }
    return { ...empty(typeName(schema)), values: valuesOf(schema), facts: factsOf(schema) };
  }

  private oneOf(schema: Json, within: readonly string[]): ReferenceShape {
    const options = list(schema.anyOf).map(record);
    const shapes = options
      .filter(({ type }) => type !== 'null')
      .map((option) => ({ name: componentOf(option), shape: this.shape(option, within) }));
    const nullable = shapes.length < options.length ? ' or null' : '';
    const [only] = shapes;
    if (only && shapes.length === 1) {
      const { shape } = only;
      return { ...shape, type: `${shape.type}${nullable}`, facts: [...shape.facts, ...defaultOf(schema)] };
    }
    const types = [...new Set(shapes.map(({ shape }) => shape.type))];
    return {
      ...empty(`${types.join(' or ')}${nullable}`),
      facts: defaultOf(schema),
      values: shapes.flatMap(({ shape }) => shape.values),
      variants: shapes
        .filter(({ shape }) => shape.fields.length > 0)
        .map(({ name, shape }) => ({ ...shape, type: name ?? shape.type })),
    };
  }

  /** A value that matches the schema: its own example, or the simplest one. */
  example(written: Json, within: readonly string[] = []): unknown {
    const schema = expanded(written);
    const given = schema.example ?? schema.default ?? schema.const ?? list(schema.enum)[0];
    if (given !== undefined) return given;
    const name = componentOf(schema);
    if (name !== undefined) {
      return within.includes(name) ? {} : this.example(record(this.components[name]), [...within, name]);
    }
    if (Array.isArray(schema.anyOf)) return this.example(record(schema.anyOf[0]), within);
    if (schema.type === 'array') return [this.example(record(schema.items), within)];
    if (schema.type === 'object') {
      const fields = Object.entries(record(schema.properties));
      return Object.fromEntries(fields.map(([field, value]) => [field, this.example(record(value), within)]));
    }
    if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, Number(schema.minimum ?? 1));
    if (schema.type === 'boolean') return true;
    if (schema.type === 'null') return null;
    return formatExamples[String(schema.format)] ?? 'text';
  }
}

const formatExamples: Readonly<Record<string, string>> = {
  uuid: '019aa5c0-7d2e-7c4f-9a30-5b1f2f4d8c11',
  'date-time': '2026-11-21T09:30:00.000Z',
  date: '2026-11-21',
  email: 'ada@example.com',
  uri: 'https://example.com',
  ipv4: '10.0.0.5',
};

/** Expands `type: [a, b]` to `anyOf`. */
function expanded(schema: Json): Json {
  if (!Array.isArray(schema.type)) return schema;
  const { type, description, default: fallback, ...rest } = schema;
  return {
    anyOf: list(type).map((each) => (each === 'null' ? { type: each } : { ...rest, type: each })),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(description === undefined ? {} : { description }),
  };
}

function empty(type: string): ReferenceShape {
  return { type, facts: [], values: [], fields: [], variants: [] };
}

function componentOf(schema: Json): string | undefined {
  return typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}

function typeName(schema: Json): string {
  const type = typeof schema.type === 'string' ? schema.type : 'any value';
  // The format of a number is its machine size ("int64"), which does not help a reader.
  return type === 'string' && typeof schema.format === 'string' ? `${type} (${schema.format})` : type;
}

/** Words for patterns that are hard to read. */
const patternNames: Readonly<Record<string, string>> = { '^[^\\p{Cc}]*$': 'no control characters' };

function valuesOf(schema: Json): string[] {
  if (schema.const !== undefined) return [String(schema.const)];
  return list(schema.enum).map(String);
}

function factsOf(schema: Json): string[] {
  const lengths = schema.type === 'string' ? range('characters', schema.minLength, schema.maxLength) : [];
  const given = typeof schema.pattern === 'string' && schema.format === undefined ? schema.pattern : undefined;
  const pattern = given === undefined ? [] : [patternNames[given] ?? `matches ${given}`];
  return [...range('', schema.minimum, schema.maximum), ...lengths, ...pattern, ...defaultOf(schema)];
}

function range(unit: string, least: unknown, most: unknown): string[] {
  const shown = (bound: unknown) =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound.toLocaleString('en') : undefined;
  const [from, to] = [shown(least), shown(most)];
  const what = unit && ` ${unit}`;
  if (from !== undefined && to !== undefined) {
    return [from === to ? `exactly ${from}${what}` : `${from} to ${to}${what}`];
  }
  if (to !== undefined) return [`at most ${to}${what}`];
  return from !== undefined && from !== '0' ? [`at least ${from}${what}`] : [];
}

function defaultOf(schema: Json): string[] {
  return schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`];
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
