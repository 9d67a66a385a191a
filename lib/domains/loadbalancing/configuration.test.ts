import { expect, test } from 'vitest';
import {
  type BalancerFacts,
  type ListenerFacts,
  renderConfiguration,
  structureOf,
  withCertificatesOf,
} from './configuration';
import { parseStats } from './runtime-api';

const web: ListenerFacts = {
  id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f',
  protocol: 'HTTP',
  port: 80,
  redirect_to_https: false,
  allowed_cidrs: ['10.0.0.0/8', '192.168.1.0/24'],
  certificate_ids: [],
  algorithm: 'round_robin',
  sticky: 'cookie',
  health_check: {
    type: 'http',
    path: '/health?full=1',
    expected_status: '200-299,304',
    interval_s: 2,
    timeout_s: 1,
    retries: 2,
  },
  slots: 3,
  members: [
    { slot: 1, address: '10.0.0.5', port: 8080, weight: 3, backup: false },
    { slot: 3, address: '10.0.0.6', port: 8080, weight: 0, backup: true },
  ],
};
const raw: ListenerFacts = {
  ...web,
  id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e60',
  protocol: 'TCP',
  port: 5432,
  allowed_cidrs: [],
  algorithm: 'least_connections',
  sticky: 'source_ip',
  health_check: null,
  slots: 1,
  members: [],
};
const secure: ListenerFacts = {
  ...web,
  id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e61',
  protocol: 'HTTPS',
  port: 443,
  certificate_ids: ['01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e62', '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e63'],
  members: [],
  slots: 1,
};
const facts: BalancerFacts = { idle_timeout_s: 60, listeners: [web, raw, secure] };

test('the configuration follows from listeners, pools and members', () => {
  expect(renderConfiguration(facts, '10.0.0.1')).toMatchSnapshot();
});

test('changes of weights and members leave the structure as it is, all others do not', () => {
  const change = (changed: Partial<ListenerFacts>) =>
    structureOf({ ...facts, listeners: [{ ...web, ...changed }, raw, secure] });
  const present = structureOf(facts);
  const [first, backup] = web.members;
  if (!first || !backup) throw new Error('two members are given');
  expect(change({ members: [{ ...first, weight: 7 }, backup] })).toBe(present);
  expect(change({ members: [first, { ...first, slot: 2, address: '10.0.0.9' }, backup] })).toBe(present);
  expect(change({ members: [first] })).not.toBe(present);
  expect(change({ port: 81 })).not.toBe(present);
  expect(change({ slots: 13 })).not.toBe(present);
});

test('other certificates leave the structure as it is, and only they are taken over', () => {
  const changed = { ...secure, certificate_ids: ['01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e64'] };
  const wanted: BalancerFacts = { ...facts, listeners: [{ ...web, members: [] }, raw, changed] };
  expect(structureOf({ ...facts, listeners: [web, raw, changed] })).toBe(structureOf(facts));
  expect(withCertificatesOf(facts, wanted)).toEqual({ ...facts, listeners: [web, raw, changed] });
  expect(renderConfiguration(withCertificatesOf(facts, wanted), '10.0.0.1')).toBe(
    renderConfiguration(facts, '10.0.0.1'),
  );
});

test('statistics are read by column, also where a field has commas', () => {
  const stats = parseStats('# pxname,svname,last_chk,weight,\nweb,s1,"HTTP 500, refused",3,\n\n');
  expect(stats).toMatchObject([{ pxname: 'web', svname: 's1', last_chk: 'HTTP 500, refused', weight: '3' }]);
});
