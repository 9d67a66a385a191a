import * as z from 'zod/mini';
import { isAddress, rangeProblem } from '@/components/network/cidr';
import { text } from '@/lib/client/constraints';
import { createLoadBalancer } from '@/lib/client/operations/lbaas';
import type { components } from '@/lib/client/schema';
import type { DesiredListener, DesiredMember, DesiredState } from './desired-state';
import type { LoadBalancer } from './types';
import { MOST_WEIGHT, numberFrom } from './weights';

type CreateBody = components['schemas']['CreateLoadBalancer'];

/** The target of a member that is an address, not an instance. */
export const ADDRESS = 'address';

// The limits of the API; the generated constraints cover only the first level of a body.
const port = numberFrom(1, 65_535);
const name = text({ minLength: 1, maxLength: 100 }, 'Enter a name.');

export const listOf = (typed: string): string[] => typed.split(/[\s,;]+/).filter((part) => part !== '');

const member = z
  .object({
    target: z.string().check(z.minLength(1, 'Choose an instance or an address.')),
    name: z.string().check(z.trim(), z.maxLength(100, 'Up to 100 characters.')),
    address: z.string().check(z.trim()),
    port,
    weight: numberFrom(0, MOST_WEIGHT),
    backup: z.boolean(),
  })
  .check(
    z.refine(({ target, address }) => target !== ADDRESS || isAddress(address), {
      path: ['address'],
      error: 'Enter an IPv4 address of the network.',
    }),
  );
export type MemberValues = z.output<typeof member>;

const pool = z.object({
  name,
  algorithm: z.enum(['round_robin', 'least_connections', 'source_ip']),
  sticky: z.enum(['none', 'cookie', 'source_ip']),
  members: z.array(member).check(z.maxLength(50, 'Up to 50 members.')),
});

const statusList = /^[1-5]\d\d(-[1-5]\d\d)?(,[1-5]\d\d(-[1-5]\d\d)?)*$/;
const check = z
  .object({
    type: z.enum(['none', 'tcp', 'http']),
    path: z.string().check(z.trim()),
    expected_status: z.string().check(z.trim()),
    interval_s: numberFrom(1, 300),
    timeout_s: numberFrom(1, 60),
    retries: numberFrom(0, 10),
  })
  .check(
    z.refine(({ type, path }) => type !== 'http' || /^\/[!-~]*$/.test(path), {
      path: ['path'],
      error: 'Must start with / and have no spaces.',
    }),
    z.refine(({ type, expected_status }) => type !== 'http' || statusList.test(expected_status), {
      path: ['expected_status'],
      error: 'Status codes and ranges, such as 200-399.',
    }),
  );

const listener = z
  .object({
    name,
    protocol: z.enum(['HTTP', 'HTTPS', 'TCP']),
    port,
    certificate_ids: z.array(z.string()),
    redirect_to_https: z.boolean(),
    allowed_cidrs: z.string().check(
      z.check(({ value, issues }) => {
        const problem = listOf(value).map(rangeProblem).find(Boolean);
        if (problem) issues.push({ code: 'custom', input: value, message: problem });
      }),
    ),
    pool,
    check,
  })
  .check(
    z.refine(({ protocol, pool: { sticky } }) => protocol !== 'TCP' || sticky !== 'cookie', {
      path: ['pool', 'sticky'],
      error: 'Cookies require HTTP.',
    }),
    z.refine(({ protocol, certificate_ids }) => protocol !== 'HTTPS' || certificate_ids.length > 0, {
      path: ['certificate_ids'],
      error: 'Choose a certificate.',
    }),
    z.refine(({ certificate_ids }) => certificate_ids.length <= 20, {
      path: ['certificate_ids'],
      error: 'Up to 20 certificates.',
    }),
  );
export type ListenerValues = z.output<typeof listener>;

const idle = createLoadBalancer.fields.idle_timeout_s;

/** The form of a load balancer, the same for a new and an existing one. */
export const loadBalancerSchema = z
  .object({
    name: text(createLoadBalancer.fields.name, 'Enter a name.', '3 to 63 lowercase letters, digits and dashes.'),
    network_id: z.string().check(z.minLength(1, 'Choose a network.')),
    access: z.enum(['open', 'groups']),
    security_group_ids: z.array(z.string()),
    idle_timeout_s: numberFrom(idle.minimum, idle.maximum),
    listeners: z.array(listener).check(z.minLength(1, 'Add a listener.'), z.maxLength(10, 'Up to 10 listeners.')),
  })
  .check(
    z.refine(({ access, security_group_ids }) => access === 'open' || security_group_ids.length > 0, {
      path: ['security_group_ids'],
      error: 'Choose a security group.',
    }),
    z.check(({ value, issues }) => {
      const ports = value.listeners.map((each) => Number(each.port));
      const twice = ports.findIndex((each, position) => ports.indexOf(each) !== position);
      if (twice < 0) return;
      const message = `Another listener has port ${ports[twice]}.`;
      issues.push({ code: 'custom', input: value, path: ['listeners', twice, 'port'], message });
    }),
  );
export type LoadBalancerValues = z.output<typeof loadBalancerSchema>;

export type Step = 'listeners' | 'pools' | 'members' | 'health-checks' | 'review';

/** The step that has the field at a path. */
export function stepOfField(path: readonly PropertyKey[]): Step {
  const [first, , part, field] = path;
  if (first !== 'listeners') return 'listeners';
  if (part === 'check') return 'health-checks';
  if (part !== 'pool') return 'listeners';
  return field === 'members' ? 'members' : 'pools';
}

/** The usual port of a protocol; undefined to keep the port, because a person chose it or another listener has the usual one. */
export function portFor(
  protocol: ListenerValues['protocol'],
  position: number,
  listeners: readonly ListenerValues[],
): string | undefined {
  const usual = { HTTP: '80', HTTPS: '443', TCP: undefined }[protocol];
  const isUsual = ['80', '443'].includes(listeners[position]?.port ?? '');
  return isUsual && listeners.every(({ port: taken }) => taken !== usual) ? usual : undefined;
}

/** The port where members of a listener usually answer: TLS ends at the load balancer. */
export const memberPort = ({ protocol, port: own }: Pick<ListenerValues, 'protocol' | 'port'>): string =>
  protocol === 'HTTPS' ? '80' : own;

export const newMember = (listenerPort: string): MemberValues => ({
  target: '',
  name: '',
  address: '',
  port: listenerPort,
  weight: '1',
  backup: false,
});

const defaultCheck = {
  type: 'http',
  path: '/',
  expected_status: '200-399',
  interval_s: '5',
  timeout_s: '3',
  retries: '2',
} as const;

/** Another listener, on a port that is free. */
export function newListener(others: readonly ListenerValues[] = []): ListenerValues {
  const taken = new Set(others.map((other) => Number(other.port)));
  const free = [80, 8080, 8000].find((candidate) => !taken.has(candidate));
  const suffix = others.length === 0 ? '' : `-${others.length + 1}`;
  return {
    name: `web${suffix}`,
    protocol: 'HTTP',
    port: free === undefined ? '' : String(free),
    certificate_ids: [],
    redirect_to_https: false,
    allowed_cidrs: '',
    pool: { name: `web${suffix}`, algorithm: 'round_robin', sticky: 'none', members: [] },
    check: { ...defaultCheck },
  };
}

/** The form for an existing load balancer. */
export function valuesOf({ network_id }: LoadBalancer, state: DesiredState): LoadBalancerValues {
  return {
    name: state.name ?? '',
    network_id,
    access: 'open',
    security_group_ids: [],
    idle_timeout_s: String(state.idle_timeout_s),
    listeners: state.listeners.map(listenerValues),
  };
}

function listenerValues({ pool: wanted, certificate_ids = [], ...rest }: DesiredListener): ListenerValues {
  const { redirect_to_https = false, allowed_cidrs = [] } = rest;
  const { name: poolName, algorithm = 'round_robin', sticky = 'none', members = [], health_check } = wanted;
  return {
    name: rest.name,
    protocol: rest.protocol,
    port: String(rest.port),
    certificate_ids,
    redirect_to_https,
    allowed_cidrs: allowed_cidrs.join(', '),
    pool: { name: poolName, algorithm, sticky, members: members.map(memberValues) },
    check: health_check ? checkValues(health_check) : { ...defaultCheck, type: 'none' },
  };
}

function checkValues(given: NonNullable<DesiredListener['pool']['health_check']>): ListenerValues['check'] {
  const { type, path = '/', expected_status = '200-399', interval_s = 5, timeout_s = 3, retries = 2 } = given;
  return {
    type,
    path: String(path),
    expected_status,
    interval_s: String(interval_s),
    timeout_s: String(timeout_s),
    retries: String(retries),
  };
}

function memberValues({ instance_id, address = '', name: given = '', ...rest }: DesiredMember): MemberValues {
  const { weight = 1, backup = false } = rest;
  return {
    target: instance_id ?? ADDRESS,
    name: given,
    address,
    port: String(rest.port),
    weight: String(weight),
    backup,
  };
}

/** The body of the POST. */
export function createBody(values: LoadBalancerValues): CreateBody {
  const { network_id, access, security_group_ids, name: named } = values;
  const { listeners, idle_timeout_s } = replaceBody(values);
  return {
    name: named,
    network_id,
    ...(access === 'groups' && { security_group_ids }),
    listeners,
    idle_timeout_s: idle_timeout_s ?? 60,
  };
}

/** The body of the PUT. */
export function replaceBody({ name: named, idle_timeout_s, listeners }: LoadBalancerValues): DesiredState {
  return { name: named, idle_timeout_s: Number(idle_timeout_s), listeners: listeners.map(desiredListener) };
}

function desiredListener(values: ListenerValues): DesiredListener {
  const { protocol, certificate_ids, redirect_to_https, allowed_cidrs, pool: chosen, check: checked } = values;
  return {
    name: values.name,
    protocol,
    port: Number(values.port),
    ...(protocol === 'HTTPS' && { certificate_ids }),
    redirect_to_https: protocol === 'HTTP' && redirect_to_https,
    allowed_cidrs: listOf(allowed_cidrs).map((one) => (one.includes('/') ? one : `${one}/32`)),
    pool: {
      name: chosen.name,
      algorithm: chosen.algorithm,
      ...(chosen.sticky !== 'none' && { sticky: chosen.sticky }),
      members: chosen.members.map(desiredMember),
      ...(checked.type !== 'none' && { health_check: desiredCheck(checked.type, checked) }),
    },
  };
}

function desiredMember({ target, name: given, address, ...rest }: MemberValues): DesiredMember {
  return {
    ...(given !== '' && { name: given }),
    ...(target === ADDRESS ? { address } : { instance_id: target }),
    port: Number(rest.port),
    weight: Number(rest.weight),
    backup: rest.backup,
  };
}

function desiredCheck(type: 'tcp' | 'http', values: ListenerValues['check']) {
  const { path, expected_status, interval_s, timeout_s, retries } = values;
  return {
    type,
    path,
    expected_status,
    interval_s: Number(interval_s),
    timeout_s: Number(timeout_s),
    retries: Number(retries),
  };
}
