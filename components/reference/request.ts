import type { ReferenceBody, ReferenceOperation, ReferenceParameter } from '@/lib/core/api/reference';

/** As much of an operation as a request needs: the browser is not sent the rest. */
export interface RequestForm extends Pick<ReferenceOperation, 'method' | 'path' | 'summary' | 'open'> {
  parameters: readonly Pick<ReferenceParameter, 'name' | 'in' | 'type' | 'required'>[];
  body?: Omit<ReferenceBody, 'shape'>;
}

export function requestForm({ method, path, summary, open, parameters, body }: ReferenceOperation): RequestForm {
  return {
    method,
    path,
    summary,
    open,
    parameters: parameters.map(({ name, in: place, type, required }) => ({ name, in: place, type, required })),
    ...(body && {
      body: { content_type: body.content_type, ...(body.example === undefined ? {} : { example: body.example }) },
    }),
  };
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

/** The same request for a shell. The credential stays in a variable: commands are kept in histories. */
export function curlCommand(operation: RequestForm, baseUrl: string, values: RequestValues): string {
  const { method, body } = operation;
  const headers = Object.entries(headersOf(operation, values)).map(([name, value]) => `${name}: ${value}`);
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(baseUrl + addressOf(operation, values))}`,
    ...(operation.open ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(body?.example === undefined ? [] : [`-d ${quoted(values.body)}`]),
    ...(body && body.example === undefined ? ['--data-binary @FILE'] : []),
  ];
  return lines.join(' \\\n  ');
}

/** In single quotes, so that a shell reads nothing in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
