import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { getPath } from 'hono/utils/url';
import { type AnyEndpoint, fullPath } from './endpoint';

/** A path in the router's syntax, and the endpoints that share it. */
export type Route = { pattern: string; siblings: readonly AnyEndpoint[] };

const matchers = new WeakMap<readonly AnyEndpoint[], ReturnType<typeof endpointMatcher>>();

/** The endpoint that serves a request, if any. Tenant paths may omit `/api/v1`. */
export function endpointAt(endpoints: readonly AnyEndpoint[], method: string, path: string): AnyEndpoint | undefined {
  const matcher = matchers.get(endpoints) ?? endpointMatcher(endpoints);
  matchers.set(endpoints, matcher);
  return matcher(method, wholePath(path));
}

const wholePath = (path: string) => (/^(\/admin)?\/api\/v1\//.test(path) ? path : `/api/v1${path}`);

/** The raw parameters of a path that `endpointAt` resolved to this endpoint. */
export function pathParams(endpoint: AnyEndpoint, path: string): Record<string, string> {
  const pattern = fullPath(endpoint).replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'key' ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
  );
  const [whole = ''] = wholePath(path).split('?');
  return { ...new RegExp(`^${pattern}$`).exec(whole)?.groups };
}

/** One route per path, concrete before templated (OpenAPI 3.1): the first match wins. */
export function routesOf(endpoints: readonly AnyEndpoint[]): Route[] {
  const byPath = new Map<string, AnyEndpoint[]>();
  for (const endpoint of endpoints) {
    const path = fullPath(endpoint);
    byPath.set(path, [...(byPath.get(path) ?? []), endpoint]);
  }
  const parameters = (path: string) => path.split('{').length;
  const ordered = [...byPath].sort(([one], [other]) => parameters(one) - parameters(other));
  return ordered.map(([path, siblings]) => ({
    // An object key may contain slashes.
    pattern: path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'key' ? ':key{.+}' : `:${name}`)),
    siblings,
  }));
}

/** The endpoint of a path that serves the method. HEAD is GET without a body. */
export function siblingFor(siblings: readonly AnyEndpoint[], method: string): AnyEndpoint | undefined {
  const served = method === 'HEAD' ? 'GET' : method;
  return siblings.find((endpoint) => endpoint.method === served);
}

/**
 * Finds the endpoint for a method and a path below `{base_url}`, with the kernel's own router. Returns undefined where
 * the API would answer 404 or 405.
 */
export function endpointMatcher(
  endpoints: readonly AnyEndpoint[],
): (method: string, path: string) => AnyEndpoint | undefined {
  const router = new SmartRouter<readonly AnyEndpoint[]>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const { pattern, siblings } of routesOf(endpoints)) router.add('ALL', pattern, siblings);
  return (method, path) => {
    const url = `http://localhost${path}`;
    if (!path.startsWith('/') || !URL.canParse(url)) return undefined;
    const [[first] = []] = router.match(method, getPath(new Request(url)));
    return first && siblingFor(first[0], method);
  };
}
