import { isIP } from 'node:net';
import { stringify } from 'yaml';
import { RESPONSE_S } from './configuration';
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

/** Where a backend listens, as a service has it, and whether it speaks TLS. */
function placeOf({ url, port }: Backend): { host: string | null; port: number; secure: boolean } {
  if (url === null) return { host: null, port: port ?? 80, secure: false };
  const { hostname, protocol, port: given } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: given === '' ? (protocol === 'https:' ? 443 : 80) : Number(given),
    secure: protocol === 'https:',
  };
}

/**
 * A route as objects of the Kubernetes Gateway API v1: an `HTTPRoute`, the `Service` that each of its backends is there, and
 * a `BackendTLSPolicy` for each that speaks TLS, without which a gateway would speak plain HTTP to it. Services of instances and load balancers have no selector: their endpoints are for the cluster's owner to add.
 */
export function manifestOf(route: Route): object[] {
  const name = labelOf(route.name, route.id);
  const labels = { 'app.kubernetes.io/managed-by': 'nephele' };
  const backends = route.backends.map((backend, position) => ({
    backend,
    name: serviceName(name, backend.name, position),
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
          timeouts: { request: `${route.request_timeout_s ?? RESPONSE_S}s` },
        },
      ],
    },
  };
  const services = backends.flatMap((one) => {
    const version = one.host === null ? 0 : isIP(one.host);
    const isName = one.host !== null && version === 0;
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: one.name, labels },
      spec: {
        ...(isName ? { type: 'ExternalName', externalName: one.host } : {}),
        ports: [{ port: one.port, protocol: 'TCP' }],
      },
    };
    return [
      service,
      ...(version === 0 ? [] : [endpointsOf(one, version, labels)]),
      ...(one.secure && isName ? [tlsPolicyOf(one, labels)] : []),
    ];
  });
  return [httpRoute, ...services];
}

/** Unique in the route: other letters of two names may have become the same dash. */
function serviceName(route: string, backend: string, position: number): string {
  const plain = backend
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 8)
    .replace(/-+$/, '');
  return `${route}-${position + 1}-${plain}`.replace(/-+$/, '');
}

/** An IP address as the endpoint of a service: an external name must be a DNS name. */
const endpointsOf = (
  { name, host, port }: { name: string; host: string | null; port: number },
  version: number,
  labels: Record<string, string>,
) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, labels: { ...labels, 'kubernetes.io/service-name': name } },
  addressType: `IPv${version}`,
  ports: [{ port, protocol: 'TCP' }],
  endpoints: [{ addresses: [host] }],
});

/** A backend's certificate is checked for its name, against the certificate authorities that the gateway's system trusts. */
const tlsPolicyOf = ({ name, host }: { name: string; host: string | null }, labels: Record<string, string>) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'BackendTLSPolicy',
  metadata: { name, labels },
  spec: {
    targetRefs: [{ group: '', kind: 'Service', name }],
    validation: { hostname: host, wellKnownCACertificates: 'System' },
  },
});

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
