import * as z from 'zod/mini';
import { text } from '@/lib/client/constraints';
import { applyRoute } from '@/lib/client/operations/gateway';
import type { Route, RouteBody } from './types';

const { fields } = applyRoute;

/** The target of a backend that is an address on the internet. */
export const URL_TARGET = 'url';
const backendName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const whole = (typed: string, least: number, most: number) =>
  /^\d+$/.test(typed) && Number(typed) >= least && Number(typed) <= most;

const backend = z
  .object({
    name: z.string().check(z.trim(), z.regex(backendName, 'Letters, digits, dots, dashes and underscores.')),
    /** `url`, or the id of an instance or load balancer with its kind in front: `instance:…`. */
    target: z.string().check(z.minLength(1, 'Choose where requests go.')),
    url: z.string().check(z.trim()),
    port: z.string().check(z.trim()),
  })
  .check(
    z.refine(({ target, url }) => target !== URL_TARGET || /^https?:\/\/[^/]+\/?$/.test(url), {
      path: ['url'],
      error: 'An address such as https://www.example.org, without a path.',
    }),
    z.refine(({ target, port }) => target === URL_TARGET || target.startsWith('function:') || whole(port, 1, 65_535), {
      path: ['port'],
      error: 'A port from 1 to 65535.',
    }),
  );
export type BackendValues = z.output<typeof backend>;

export const routeSchema = z
  .object({
    name: text(fields.name, 'Enter a name.'),
    host: text(fields.host, 'Enter a host name.', 'A host name such as www.example.org, in lower case.'),
    path_prefix: text(fields.path_prefix, 'Enter a path.', 'A path such as /api.'),
    tls_certificate_id: z.string(),
    strip_prefix: z.boolean(),
    sticky: z.boolean(),
    request_timeout_s: z.string().check(z.trim()),
    backends: z.array(backend).check(z.minLength(1, 'At least one backend.')),
    shares: z.array(z.number()),
    rollout: z.boolean(),
    rollout_to: z.string(),
    rollout_steps: z.string(),
    rollout_interval_s: z.string().check(z.trim()),
    rollout_errors: z.string().check(z.trim()),
    rollout_p99: z.string().check(z.trim()),
  })
  .check(
    z.refine(({ request_timeout_s }) => request_timeout_s === '' || whole(request_timeout_s, 1, 3600), {
      path: ['request_timeout_s'],
      error: 'A whole number of seconds from 1 to 3600, or nothing.',
    }),
    z.refine(({ rollout, backends, rollout_to }) => !rollout || backends.some(({ name }) => name === rollout_to), {
      path: ['rollout_to'],
      error: 'Choose one of the backends.',
    }),
    z.refine(({ rollout, rollout_steps }) => !rollout || stepsOf(rollout_steps) !== undefined, {
      path: ['rollout_steps'],
      error: 'Increasing whole percents, such as 5, 25, 50, 100.',
    }),
    z.refine(({ rollout, rollout_interval_s }) => !rollout || whole(rollout_interval_s, 5, 86_400), {
      path: ['rollout_interval_s'],
      error: 'A whole number of seconds from 5 to 86400.',
    }),
    z.refine(({ rollout, rollout_errors }) => !rollout || isPercent(rollout_errors), {
      path: ['rollout_errors'],
      error: 'A number from 0 to 100.',
    }),
    z.refine(({ rollout, rollout_p99 }) => !rollout || rollout_p99 === '' || whole(rollout_p99, 1, 600_000), {
      path: ['rollout_p99'],
      error: 'A whole number of milliseconds, or nothing.',
    }),
  );
export type RouteValues = z.output<typeof routeSchema>;

const isPercent = (typed: string) => /^\d+(\.\d+)?$/.test(typed) && Number(typed) <= 100;

/** "5, 25 50 100"; undefined for anything but increasing percents. */
export function stepsOf(typed: string): number[] | undefined {
  const parts = typed.split(/[\s,;%]+/).filter((part) => part !== '');
  const steps = parts.map(Number);
  const isRising = steps.every(
    (step, index) => Number.isInteger(step) && step > (steps[index - 1] ?? 0) && step <= 100,
  );
  return parts.length > 0 && parts.length <= 20 && isRising ? steps : undefined;
}

export const newBackend = (name: string): BackendValues => ({ name, target: '', url: '', port: '80' });

/** The values of a new route below this domain. */
export const newRoute = (domain: string): RouteValues => ({
  name: '',
  host: `shop.${domain}`,
  path_prefix: '/',
  tls_certificate_id: '',
  strip_prefix: false,
  sticky: false,
  request_timeout_s: '',
  backends: [newBackend('stable')],
  shares: [100],
  ...noRollout,
});

const noRollout = {
  rollout: false,
  rollout_to: '',
  rollout_steps: '5, 25, 50, 100',
  rollout_interval_s: '60',
  rollout_errors: '5',
  rollout_p99: '',
};

/** The values of a route. Its last rollout is not begun again. */
export function valuesOf(route: Route): RouteValues {
  return {
    name: route.name,
    host: route.host,
    path_prefix: route.path_prefix,
    tls_certificate_id: route.tls_certificate_id ?? '',
    strip_prefix: route.strip_prefix,
    sticky: route.sticky,
    request_timeout_s: route.request_timeout_s === null ? '' : String(route.request_timeout_s),
    backends: route.backends.map(({ name, url, instance_id, load_balancer_id, function_id, port: number }) => ({
      name,
      target:
        url !== null
          ? URL_TARGET
          : instance_id !== null
            ? `instance:${instance_id}`
            : function_id !== null
              ? `function:${function_id}`
              : `load_balancer:${load_balancer_id}`,
      url: url ?? '',
      port: number === null ? '' : String(number),
    })),
    shares: route.backends.map(({ weight }) => weight),
    ...noRollout,
  };
}

/** The request that a filled form stands for. */
export function bodyFrom(values: RouteValues): RouteBody {
  const { name, host, path_prefix, strip_prefix, sticky, request_timeout_s, tls_certificate_id } = values;
  return {
    name,
    host,
    path_prefix,
    strip_prefix,
    sticky,
    ...(request_timeout_s === '' ? {} : { request_timeout_s: Number(request_timeout_s) }),
    ...(tls_certificate_id === '' ? {} : { tls_certificate_id }),
    backends: values.backends.map(({ name: backendName, target, url, port: number }, position) => ({
      name: backendName,
      weight: values.shares[position] ?? 0,
      ...targetFrom(target, url, number),
    })),
    ...(values.rollout
      ? {
          rollout: {
            to: values.rollout_to,
            steps: stepsOf(values.rollout_steps) ?? [],
            interval_s: Number(values.rollout_interval_s),
            abort_above_errors_percent: Number(values.rollout_errors),
            ...(values.rollout_p99 === '' ? {} : { abort_above_p99_ms: Number(values.rollout_p99) }),
          },
        }
      : {}),
  };
}

function targetFrom(target: string, url: string, number: string) {
  if (target === URL_TARGET) return { url };
  const [kind, id = ''] = target.split(':');
  if (kind === 'function') return { function_id: id };
  return { ...(kind === 'instance' ? { instance_id: id } : { load_balancer_id: id }), port: Number(number) };
}

/** Shares for one backend more or fewer; a new one begins with nothing. */
export function sharesFor(shares: readonly number[], removed?: number): number[] {
  if (removed === undefined) return [...shares, shares.length === 0 ? 100 : 0];
  const left = shares.filter((_, position) => position !== removed);
  const missing = 100 - left.reduce((sum, share) => sum + share, 0);
  return left.map((share, position) => (position === 0 ? share + missing : share));
}
