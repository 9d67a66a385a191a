import { asCurl } from '@/lib/client/commands';
import type {
  ReferenceBody,
  ReferenceField,
  ReferenceGroup,
  ReferenceOperation,
  ReferenceParameter,
} from '@/lib/core/api/reference';

export interface RequestParameter extends Pick<ReferenceParameter, 'name' | 'in' | 'type' | 'required' | 'values'> {
  /** The path of the list whose IDs it takes. */
  listed_by?: string;
}

/** A field of a body whose values can be listed. All others are typed into the body itself. */
export type RequestChoice = Omit<RequestParameter, 'in'>;

/** The part of an operation that a request needs: the browser does not load the rest. */
export interface RequestForm extends Pick<ReferenceOperation, 'method' | 'path' | 'summary' | 'open'> {
  parameters: readonly RequestParameter[];
  body?: Omit<ReferenceBody, 'shape'> & { choices: readonly RequestChoice[] };
}

/** @param lists from `listPaths` */
export function requestForm(operation: ReferenceOperation, lists: ReadonlySet<string>): RequestForm {
  const { method, path, summary, open, parameters, body } = operation;
  return {
    method,
    path,
    summary,
    open,
    parameters: parameters.map((parameter) => {
      const { name, in: place, type, required, values } = parameter;
      const listed_by = listOf(parameter, path, lists);
      return { name, in: place, type, required, values, ...(listed_by === undefined ? {} : { listed_by }) };
    }),
    ...(body && {
      body: {
        content_type: body.content_type,
        choices: body.shape.fields.flatMap((field) => choiceOf(field, path, lists) ?? []),
        ...(body.example === undefined ? {} : { example: body.example }),
      },
    }),
  };
}

function choiceOf(
  { name, type, required, values }: ReferenceField,
  path: string,
  lists: ReadonlySet<string>,
): RequestChoice | undefined {
  if (!type.startsWith('string')) return undefined;
  if (values.length > 0) return { name, type, required, values };
  const listed_by = name.endsWith('_id') ? listNamed(name, path, lists) : undefined;
  return listed_by === undefined ? undefined : { name, type, required, values, listed_by };
}

/** The paths of all lists of resources with IDs. */
export function listPaths(groups: readonly ReferenceGroup[]): Set<string> {
  const operations = groups.flatMap((group) => group.operations);
  return new Set(
    operations
      .filter(({ method, path, answers }) => {
        const shape = answers[0]?.body?.shape;
        const has_ids = shape?.type.startsWith('array') && shape.fields.some(({ name }) => name === 'id');
        return method === 'GET' && !path.includes('{') && has_ids;
      })
      .map(({ path }) => path),
  );
}

/** The list of an ID: the one that its path is below, or the one that it is named after: `network_id`. */
function listOf({ name, type }: ReferenceParameter, path: string, lists: ReadonlySet<string>): string | undefined {
  if (!type.startsWith('string (uuid)')) return undefined;
  const [above = ''] = path.split(`/{${name}}`);
  if (above !== path) return lists.has(above) ? above : undefined;
  return listNamed(name, path, lists);
}

function listNamed(name: string, path: string, lists: ReadonlySet<string>): string | undefined {
  const [api = ''] = /^.*\/api\/v\d+\//.exec(path) ?? [];
  const last = `/${name.replace(/_id$/, 's').replaceAll('_', '-')}`;
  return [...lists].find((candidate) => candidate.startsWith(api) && candidate.endsWith(last));
}

/** A request with a token, or with the session of the browser if there is none. */
export function requestWith(
  token: string,
  address: string,
  { headers, ...rest }: Pick<RequestInit, 'method' | 'body'> & { headers?: Record<string, string> } = {},
): Request {
  return new Request(address, {
    ...rest,
    headers: { ...headers, ...(token && { Authorization: `Bearer ${token.trim()}` }) },
    credentials: token ? 'omit' : 'same-origin',
  });
}

/** What a reader filled in: parameters by name, the body as JSON text. */
export interface RequestValues {
  parameters: Readonly<Record<string, string>>;
  body: string;
}

/** What the fields begin with: ids are for the reader to give, the body is the example. */
export function initialValues(operation: RequestForm): RequestValues {
  return { parameters: {}, body: operation.body?.example ?? '' };
}

/** The fields of a body; undefined unless its text is a JSON object. */
export function chosenIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a body with another value of a field; an empty one takes the field away. */
export function withChoice(text: string, name: string, value: string): string {
  const body = chosenIn(text);
  if (body === undefined) return text;
  const { [name]: _, ...others } = body;
  return JSON.stringify(value === '' ? others : { ...body, [name]: value }, null, 2);
}

/** Path and query of a request; an empty optional parameter is left out. */
export function addressOf({ path, parameters }: RequestForm, values: RequestValues): string {
  const value = (name: string) => values.parameters[name]?.trim() ?? '';
  const filled = path.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    value(name) === '' ? placeholder : encodeURIComponent(value(name)),
  );
  const query = parameters.filter((parameter) => parameter.in === 'query' && value(parameter.name) !== '');
  const search = new URLSearchParams(query.map(({ name }): [string, string] => [name, value(name)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** Headers that the reader gave, but for the credential. */
export function headersOf({ parameters, body }: RequestForm, values: RequestValues): Record<string, string> {
  const given = parameters.filter(({ in: place, name }) => place === 'header' && values.parameters[name]?.trim());
  return {
    ...Object.fromEntries(given.map(({ name }) => [name, values.parameters[name]?.trim() ?? ''])),
    ...(body ? { 'Content-Type': body.content_type } : {}),
  };
}

/** The same request for a shell. */
export function curlCommand(operation: RequestForm, baseUrl: string, values: RequestValues): string {
  const { method, body, open } = operation;
  return asCurl({
    method,
    url: baseUrl + addressOf(operation, values),
    headers: headersOf(operation, values),
    open,
    ...(body?.example !== undefined && { body: values.body }),
    file: body !== undefined && body.example === undefined,
  });
}
