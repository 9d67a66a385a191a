import { stringify } from 'yaml';
import type { Backend, Route } from './schema';

/** A name that Kubernetes takes (RFC 1123), made of one that people chose; the id keeps it unique. */
const labelOf = (name: string, id: string) => {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return `${/^[a-z]/.test(plain) ? plain : `route-${plain}`}-${id.slice(-8)}`.replace(/-{2,}/g, '-');
};

/** Where a backend listens, as a service has it. */
function placeOf({ url, port }: Backend): { host: string | null; port: number } {
  if (url === null) return { host: null, port: port ?? 80 };
  const { hostname, protocol, port: given } = new URL(url);
  return { host: hostname, port: given === '' ? (protocol === 'https:' ? 443 : 80) : Number(given) };
}

/**
 * A route as objects of the Kubernetes Gateway API v1: an `HTTPRoute`, and the `Service` that each of its backends is
 * there. Services of instances and load balancers have no selector: their endpoints are for the cluster's owner to add.
 */
export function manifestOf(route: Route): object[] {
  const name = labelOf(route.name, route.id);
  const labels = { 'app.kubernetes.io/managed-by': 'nephele' };
  const backends = route.backends.map((backend) => ({
    backend,
    name: `${name}-${backend.name.toLowerCase().replace(/[^a-z0-9-]+/g, '-')}`.slice(0, 63).replace(/-+$/, ''),
    ...placeOf(backend),
  }));
  const rewrite = {
    type: 'URLRewrite',
    urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } },
  };
  const httpRoute = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name, labels, annotations: { 'nephele/route-id': route.id, 'nephele/route-name': route.name } },
    spec: {
      parentRefs: [
        { name: 'nephele', sectionName: 'http' },
        ...(route.tls_certificate_id === null ? [] : [{ name: 'nephele', sectionName: 'https' }]),
      ],
      hostnames: [route.host],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: route.path_prefix } }],
          ...(route.strip_prefix && route.path_prefix !== '/' ? { filters: [rewrite] } : {}),
          backendRefs: backends.map((one) => ({
            kind: 'Service',
            name: one.name,
            port: one.port,
            weight: one.backend.weight,
          })),
          ...(route.request_timeout_s === null ? {} : { timeouts: { request: `${route.request_timeout_s}s` } }),
        },
      ],
    },
  };
  const services = backends.map((one) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: one.name, labels },
    spec: {
      ...(one.host === null ? {} : { type: 'ExternalName', externalName: one.host }),
      ports: [{ port: one.port, protocol: 'TCP' }],
    },
  }));
  return [httpRoute, ...services];
}

/** The answer of `GET …/manifest`. */
export function routeManifest(route: Route): Response {
  const body = manifestOf(route)
    .map((object) => stringify(object))
    .join('---\n');
  return new Response(body, {
    headers: {
      'Content-Type': 'application/yaml; charset=utf-8',
      'Content-Disposition': `attachment; filename="route-${route.id.slice(-8)}.yaml"`,
    },
  });
}
