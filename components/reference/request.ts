import { asCurl } from '@/lib/client/commands';
import type { ReferenceBody, ReferenceGroup, ReferenceOperation, ReferenceParameter } from '@/lib/core/api/reference';

export interface RequestParameter extends Pick<ReferenceParameter, 'name' | 'in' | 'type' | 'required' | 'values'> {
  /** The path of the list whose IDs it takes. */
  listed_by?: string;
}

/** The part of an operation that a request needs: the browser does not load the rest. */
export interface RequestForm extends Pick<ReferenceOperation, 'method' | 'path' | 'summary' | 'open'> {
  parameters: readonly RequestParameter[];
  body?: Omit<ReferenceBody, 'shape'>;
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
      body: { content_type: body.content_type, ...(body.example === undefined ? {} : { example: body.example }) },
    }),
  };
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
