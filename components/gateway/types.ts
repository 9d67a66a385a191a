import type { Row } from '@/lib/client/list';
import type { components } from '@/lib/client/schema';

export type Route = Row<'/api/v1/gateway/routes'>;
export type Backend = Route['backends'][number];
export type RouteBody = components['schemas']['CreateRoute'];

/** "https://v1.example.org", "web-1:8080" */
export function targetOf({ url, port, function_id }: Backend, name: string | undefined): string {
  if (function_id !== null) return name ?? 'function';
  return url ?? `${name ?? 'deleted'}:${port}`;
}

/** The request that leaves a route as it is, for changes of a part of it. A finished rollout is not begun again. */
export function bodyOf(route: Route): RouteBody {
  const { name, host, path_prefix, strip_prefix, sticky, request_timeout_s, tls_certificate_id, backends } = route;
  return {
    name,
    host,
    path_prefix,
    strip_prefix,
    sticky,
    ...(request_timeout_s === null ? {} : { request_timeout_s }),
    ...(tls_certificate_id === null ? {} : { tls_certificate_id }),
    backends: backends.map(({ name, weight, url, instance_id, load_balancer_id, function_id, port }) => ({
      name,
      weight,
      ...(url === null ? {} : { url }),
      ...(instance_id === null ? {} : { instance_id }),
      ...(load_balancer_id === null ? {} : { load_balancer_id }),
      ...(function_id === null ? {} : { function_id }),
      ...(port === null ? {} : { port }),
    })),
  };
}

/** Why a route's weights cannot be changed by hand now, if there is a reason. */
export const whyNotWeigh = ({ rollout, backends }: Route): string | undefined => {
  if (rollout?.state === 'running') return 'A rollout is running; stop it first.';
  return backends.length < 2 ? 'The route has one backend, which gets all requests.' : undefined;
};

/** How a backend's status is called in `statuses.ts`. */
export const backendStatus = ({ status }: Backend): string =>
  status === 'down' ? 'failing' : status === 'unknown' ? 'no_check' : status;
