import { expect, test } from 'vitest';
import { safeParse } from 'zod/v4/core';
import { desiredState, differences, isMember, withMembers } from './desired-state';
import { diagramOf } from './diagram';
import {
  ADDRESS,
  createBody,
  loadBalancerSchema,
  newListener,
  newMember,
  replaceBody,
  stepOfField,
  valuesOf,
} from './load-balancer-values';
import { whyNoMore } from './project-limit';
import type { LoadBalancer, Pool } from './types';
import { sharesOf } from './weights';

const times = { created_at: '2026-03-01T12:00:00.000Z', updated_at: '2026-03-01T12:00:00.000Z' };
const instance = '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f';

const member = (name: string, address: string, more: Partial<Pool['members'][number]> = {}) => ({
  id: name,
  name,
  instance_id: null,
  address,
  port: 8080,
  weight: 1,
  backup: false,
  status: 'up' as const,
  status_reason: null,
  last_change_at: times.created_at,
  ...more,
});

const balancer: LoadBalancer = {
  id: 'balancer',
  name: 'shop',
  network_id: 'network',
  vip_address: '10.0.0.6',
  vip_port_id: 'vip',
  floating_ip: null,
  provisioning_status: 'active',
  operating_status: 'degraded',
  status_reason: null,
  idle_timeout_s: 90,
  nodes: [
    { role: 'stand_by', status: 'down' },
    { role: 'active', status: 'up' },
  ],
  listeners: [
    {
      id: 'listener',
      load_balancer_id: 'balancer',
      name: 'web',
      protocol: 'HTTP',
      port: 80,
      certificate_ids: [],
      redirect_to_https: true,
      allowed_cidrs: ['10.0.0.0/8', '203.0.113.7/32'],
      pool_id: 'pool',
      current_connections: 0,
      requests_total: 0,
      ...times,
    },
    {
      id: 'secure',
      load_balancer_id: 'balancer',
      name: 'secure',
      protocol: 'HTTPS',
      port: 443,
      certificate_ids: ['certificate'],
      redirect_to_https: false,
      allowed_cidrs: [],
      pool_id: 'secure-pool',
      current_connections: 0,
      requests_total: 0,
      ...times,
    },
  ],
  ...times,
};
const pools: Pool[] = [
  {
    id: 'pool',
    load_balancer_id: 'balancer',
    listener_id: 'listener',
    name: 'web',
    algorithm: 'least_connections',
    sticky: 'cookie',
    health_check: { type: 'http', path: '/ok', expected_status: '200', interval_s: 7, timeout_s: 2, retries: 0 },
    members: [
      member('one', '10.0.0.7', { instance_id: instance, weight: 3 }),
      member('two', '10.0.0.8', { status: 'down', status_reason: 'Connection refused', backup: true }),
    ],
    ...times,
  },
  {
    id: 'secure-pool',
    load_balancer_id: 'balancer',
    listener_id: 'secure',
    name: 'secure',
    algorithm: 'round_robin',
    sticky: null,
    health_check: null,
    members: [],
    ...times,
  },
];

function stateNow() {
  const state = desiredState(balancer, pools);
  if (!state) throw new Error('all pools are known');
  return state;
}

test('the form of a load balancer sends back exactly what it was filled with', () => {
  expect(replaceBody(valuesOf(balancer, stateNow()))).toEqual(stateNow());
  expect(stateNow()).toMatchObject({ name: 'shop', idle_timeout_s: 90 });
  expect(stateNow().listeners[0]).toEqual({
    name: 'web',
    protocol: 'HTTP',
    port: 80,
    redirect_to_https: true,
    allowed_cidrs: ['10.0.0.0/8', '203.0.113.7/32'],
    pool: {
      name: 'web',
      algorithm: 'least_connections',
      sticky: 'cookie',
      members: [
        { name: 'one', instance_id: instance, port: 8080, weight: 3, backup: false },
        { name: 'two', address: '10.0.0.8', port: 8080, weight: 1, backup: true },
      ],
      health_check: { type: 'http', path: '/ok', expected_status: '200', interval_s: 7, timeout_s: 2, retries: 0 },
    },
  });
  expect(stateNow().listeners[1]).toMatchObject({ certificate_ids: ['certificate'] });
});

test('a state without one of its pools is no state: sending it would delete the members', () => {
  expect(desiredState(balancer, pools.slice(1))).toBeUndefined();
});

test('a change of members leaves the other listeners and members alone', () => {
  const [one] = pools[0]?.members ?? [];
  if (!one) throw new Error('the pool has members');
  const drained = withMembers(stateNow(), 80, (members) =>
    members.map((wanted) => (isMember(one)(wanted) ? { ...wanted, weight: 0 } : wanted)),
  );
  expect(drained.listeners[0]?.pool.members?.map(({ weight }) => weight)).toEqual([0, 1]);
  expect(drained.listeners[1]).toEqual(stateNow().listeners[1]);
  expect(differences(stateNow(), stateNow())).toEqual([]);
  expect(differences(stateNow(), { ...drained, name: 'store' })).toEqual([
    { name: 'Name', before: 'shop', now: 'store' },
    {
      name: 'Listener 80',
      before: 'web (one weight 3, two weight 1)',
      now: 'web (one weight 0, two weight 1)',
    },
  ]);
});

const values = {
  name: 'shop',
  network_id: 'network',
  access: 'open' as const,
  security_group_ids: [],
  idle_timeout_s: '60',
  listeners: [newListener()],
};
const firstProblem = (changed: object) => {
  const [issue] = safeParse(loadBalancerSchema, { ...values, ...changed }).error?.issues ?? [];
  return issue && [stepOfField(issue.path), issue.message];
};

test('a new load balancer needs only a name, and its body has no empty fields', () => {
  expect(firstProblem({})).toBeUndefined();
  expect(createBody(values)).toEqual({
    name: 'shop',
    network_id: 'network',
    idle_timeout_s: 60,
    listeners: [
      {
        name: 'web',
        protocol: 'HTTP',
        port: 80,
        redirect_to_https: false,
        allowed_cidrs: [],
        pool: {
          name: 'web',
          algorithm: 'round_robin',
          members: [],
          health_check: {
            type: 'http',
            path: '/',
            expected_status: '200-399',
            interval_s: 5,
            timeout_s: 3,
            retries: 2,
          },
        },
      },
    ],
  });
});

const withListener = (changed: object) => ({ listeners: [{ ...newListener(), ...changed }] });
const withMember = (changed: object) =>
  withListener({ pool: { ...newListener().pool, members: [{ ...newMember('80'), ...changed }] } });

test.each([
  [{ name: 'Shop' }, 'listeners', '3 to 63 lowercase letters, digits and dashes.'],
  [{ access: 'groups' }, 'listeners', 'Choose a security group.'],
  [{ listeners: [newListener(), newListener()] }, 'listeners', 'Another listener has port 80.'],
  [withListener({ port: '70000' }), 'listeners', 'A whole number from 1 to 65,535.'],
  [
    withListener({ allowed_cidrs: '10.0.0.0/8, x' }),
    'listeners',
    'Enter an IPv4 address or range, such as 203.0.113.0/24.',
  ],
  [
    withListener({ protocol: 'TCP', pool: { ...newListener().pool, sticky: 'cookie' } }),
    'pools',
    'Cookies require HTTP.',
  ],
  [withMember({}), 'members', 'Choose an instance or an address.'],
  [withMember({ target: ADDRESS, address: 'x' }), 'members', 'Enter an IPv4 address of the network.'],
  [withMember({ target: instance, weight: '257' }), 'members', 'A whole number from 0 to 256.'],
  [
    withListener({ check: { ...newListener().check, path: 'ok' } }),
    'health-checks',
    'Must start with / and have no spaces.',
  ],
  [
    withListener({ check: { ...newListener().check, expected_status: 'all' } }),
    'health-checks',
    'Status codes and ranges, such as 200-399.',
  ],
])('a mistake is reported in the step that has its field: %j', (changed, step, message) => {
  expect(firstProblem(changed)).toEqual([step, message]);
});

test('shares follow from weights; backup members have none', () => {
  const weights = (...list: number[]) => list.map((weight) => ({ weight, backup: false }));
  expect(sharesOf(weights(1, 3))).toEqual(['25%', '75%']);
  expect(sharesOf(weights(0, 0))).toEqual(['0%', '0%']);
  expect(sharesOf([...weights(1), { weight: 1, backup: true }])).toEqual(['100%', 'backup']);
});

test('the diagram leads from the virtual IP through the active node to every member, coloured by state', () => {
  const { nodes, edges } = diagramOf(balancer, pools);
  const toneOf = (id: string) => nodes.find((node) => node.id === id)?.tone;
  expect(edges).toEqual([
    { from: 'balancer', to: 'node-1' },
    { from: 'balancer', to: 'node-2' },
    { from: 'node-2', to: 'listener' },
    { from: 'listener', to: 'pool' },
    { from: 'pool', to: 'one' },
    { from: 'pool', to: 'two' },
    { from: 'node-2', to: 'secure' },
    { from: 'secure', to: 'secure-pool' },
  ]);
  expect(['balancer', 'node-1', 'node-2', 'one', 'two', 'pool', 'secure-pool'].map(toneOf)).toEqual([
    'caution',
    'critical',
    'positive',
    'positive',
    'critical',
    'caution',
    'critical',
  ]);
});

test('a project at its limit is told why it may have no further load balancer, and how to go on', () => {
  const service = (resources: number) => ({
    status: 'subscribed' as const,
    status_reason: null,
    resources,
    limit: { most: 10, setting: 'LOAD_BALANCERS_PER_PROJECT' },
  });
  expect(whyNoMore(service(10))).toBe(
    'The project has 10 load balancers, the maximum (LOAD_BALANCERS_PER_PROJECT). Delete one, or ask the operator to raise the limit.',
  );
  expect(whyNoMore(service(9))).toBeUndefined();
  expect(whyNoMore({ ...service(10), limit: null })).toBeUndefined();
  expect(whyNoMore(undefined)).toBeUndefined();
});
