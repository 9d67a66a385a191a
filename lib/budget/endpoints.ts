import { endpoint, Reply } from '@/lib/api/endpoint';
import { allowedVersions, entityTag } from '@/lib/api/entity-tag';
import * as schema from './schema';
import * as service from './service';

const versioned = ({ budget, version }: service.VersionedBudget) =>
  new Reply(budget, { headers: { ETag: entityTag(version) } });

/** The monthly budget (spec 4.16, 8.2). */
export const budgetEndpoints = [
  endpoint({
    method: 'GET',
    path: '/billing/budget',
    operation_id: 'readBudget',
    summary: 'Read the monthly budget and how it stands',
    tag: 'Billing',
    access: 'reader',
    responses: { 200: schema.budget },
    versioned: true,
    handle: async (call) => versioned(await service.readBudget(call)),
  }),
  endpoint({
    method: 'PUT',
    path: '/billing/budget',
    operation_id: 'setBudget',
    summary: 'Set the monthly budget',
    description:
      'In force for the very next request. With `enable_quota_freeze`, once the month’s spend reaches the limit, new ' +
      'instances, volumes, databases, clusters and load balancers and making them larger are refused with 402 ' +
      '`BUDGET_FROZEN`; what runs goes on. Raising the limit above the spend lifts that, and so does adding credit, by ' +
      'what remains of it once what is owed is settled. A limit at or below the spend stays frozen: `status` says so.',
    tag: 'Billing',
    access: 'admin',
    body: schema.setBudget,
    responses: { 200: schema.budget },
    versioned: true,
    audit: 'budget.update',
    handle: async (call, { body, headers }) => versioned(await service.setBudget(call, body, allowedVersions(headers))),
  }),
];
