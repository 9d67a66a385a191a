import { endpoint, Reply } from '@/lib/core/api/endpoint';
import { allowedVersions, entityTag } from '@/lib/core/api/entity-tag';
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
    summary: 'Read the monthly budget and its status',
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
      'Takes effect on the next request. With `enable_quota_freeze`, once the month’s spend reaches the limit, creating ' +
      'or enlarging instances, volumes, databases, clusters and load balancers is refused with 402 `BUDGET_FROZEN`; ' +
      'running resources keep running. Raising the limit above spend lifts the freeze. So does adding credit, by what ' +
      'remains of it after amounts owed are settled. With a limit at or below spend, the project stays frozen, as ' +
      '`status` shows.',
    tag: 'Billing',
    access: 'admin',
    body: schema.setBudget,
    responses: { 200: schema.budget },
    versioned: true,
    audit: 'budget.update',
    handle: async (call, { body, headers }) => versioned(await service.setBudget(call, body, allowedVersions(headers))),
  }),
];
