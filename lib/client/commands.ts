/** A request of the API as other programs send it. */
export interface Command {
  method: string;
  url: string;
  /** All but the credential. */
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** The body is a file of the reader's. */
  file?: boolean;
  /** Needs no credential. */
  open?: boolean;
}

/** The variable that has the token in copied commands: commands are kept in histories. */
export const TOKEN_VARIABLE = 'NEPHELE_TOKEN';

/** A request for a shell. */
export function asCurl({ method, url, headers = {}, body, file = false, open = false }: Command): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    ...(open ? [] : [`-H "Authorization: Bearer $${TOKEN_VARIABLE}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
    ...(file ? ['--data-binary @FILE'] : []),
  ].join(' \\\n  ');
}

/** A request for Node.js, as a module. */
export function asJavaScript({ method, url, headers = {}, body }: Command): string {
  const sent = Object.entries(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    '  headers: {',
    `    Authorization: \`Bearer \${process.env.${TOKEN_VARIABLE}}\`,`,
    ...sent,
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),`]),
    '});',
    'console.log(response.status, await response.json());',
  ].join('\n');
}

/** An operation from `lib/client/operations` with the values of a page. */
export interface Call {
  operation: { method: string; path: string; secrets?: readonly string[] };
  /** The id in its path. */
  id?: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: object;
}

/** A call as a request. Its secrets are left out: each has a placeholder, which the reader replaces. */
export function commandOf({ operation, id, query = {}, body }: Call, origin: string): Command {
  const { method, path, secrets = [] } = operation;
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  const address = id === undefined ? path : path.replace(/\{\w+\}/, encodeURIComponent(id));
  return {
    method,
    url: `${origin}${address}${search.size > 0 ? `?${search}` : ''}`,
    ...(body && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(withoutSecrets(body, secrets), null, 2),
    }),
  };
}

function withoutSecrets(values: object, secrets: readonly string[], prefix = ''): object {
  const entries = Object.entries(values).map(([name, value]: [string, unknown]): [string, unknown] => {
    const path = `${prefix}${name}`;
    if (secrets.includes(path)) return [name, `<${name}>`];
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [name, nested ? withoutSecrets(value, secrets, `${path}.`) : value];
  });
  return Object.fromEntries(entries);
}

/** In single quotes, so that a shell reads nothing in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
