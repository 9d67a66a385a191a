import { expect, test } from 'vitest';
import { type Notification, wordsOf } from './words';

const ID = '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f';
const common = { id: ID, project_id: ID, created_at: '2026-03-01T12:00:00Z', read_at: null };
const about = (type: string, name: string | null) => ({ type, id: ID, name });

const examples: Notification[] = [
  {
    ...common,
    kind: 'budget_threshold',
    resource: about('budget', null),
    facts: { month: '2026-03', threshold_percent: 80, limit_usd: '250', frozen: false },
  },
  {
    ...common,
    kind: 'budget_threshold',
    resource: about('budget', null),
    facts: { month: '2026-03', threshold_percent: 100, limit_usd: '250', frozen: true },
  },
  {
    ...common,
    kind: 'operation_failed',
    resource: about('instance', 'web-1'),
    facts: { operation: 'instance.create', reason: 'The image cannot be read.' },
  },
  {
    ...common,
    kind: 'operation_failed',
    resource: about('load_balancer', null),
    facts: { operation: 'load_balancer.delete', reason: null },
  },
  {
    ...common,
    kind: 'certificate_ending',
    resource: about('secret', 'tls'),
    facts: { expires_at: '2026-03-20T00:00:00Z' },
  },
  { ...common, kind: 'log_lines_dropped', resource: about('project', null), facts: { day: '2026-03-01' } },
  { ...common, kind: 'invitation', resource: about('project', 'Acme'), facts: { invited_by: 'Hera' } },
  {
    ...common,
    kind: 'incident',
    resource: about('instance', null),
    facts: { reason: 'The deadline has passed.', tenant_id: ID },
  },
];

test('each notification says what happened and leads to its resource', () => {
  const lines = examples.map((notification) => {
    const { title, detail, href } = wordsOf(notification, 'demo');
    return `${title} | ${detail} | ${href}`;
  });
  expect(lines).toEqual([
    'Budget threshold reached: 80% | $250.00 for March. | /projects/demo/billing/budget',
    'Budget used up | $250.00 for March. Nothing can be created or enlarged. | /projects/demo/billing/budget',
    `Could not create instance web-1 | The image cannot be read. | /projects/demo/compute/instances/${ID}`,
    `Could not delete load balancer | No reason was given. | /projects/demo/network/load-balancers/${ID}`,
    'Certificate tls expires soon | Expires on 20 Mar 2026. Replace it before then. | /projects/demo/security/secrets?search=tls',
    'Log lines were dropped | On 1 Mar 2026. The log says how many, of which resources, and why. | /projects/demo/observability/logs?query=%7Blevel%3D%22warn%22%2C+stream%3D%22platform%22%7D&from=1772323200000&to=1772409600000',
    'Invitation to Acme | From Hera. Join or decline it on the overview. | /projects/demo',
    `Incident: instance | The deadline has passed. | /admin/incidents?resource_id=${ID}`,
  ]);
});
