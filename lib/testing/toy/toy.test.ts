import { beforeAll, expect, test } from 'vitest';
import { merged } from '@/lib/core/domains/portal';
import { domains } from '@/lib/platform/domains';
import { testDatabase } from '../database';
import { everyEndpoint } from '../every-endpoint';
import { everyResource } from '../every-resource';
import { ledgerDisagreements } from '../faults/ledgers';
import { hostileRequests } from '../hostile-requests';
import { api, createProject } from '../world';
import { toys } from './domain';
import { domainsWithToys, endpoints, tags } from './platform';
import { createToyTables } from './tables';
import { toysTesting } from './testing';

// Toys pass the suites of every domain, in a platform that includes them.

testDatabase();
beforeAll(createToyTables);

const tested = { endpoints: toys.endpoints, served: endpoints, tags, fixtures: merged([toysTesting.fixtures]) };
everyEndpoint(tested);
hostileRequests(tested);
everyResource({ domains: [toys], endpoints });

test('their checks run: resources agree with quota, devices and reservations', async () => {
  const project = await createProject();
  for (const create of Object.values(tested.fixtures)) await create(project, api(endpoints));
  expect(await ledgerDisagreements(domainsWithToys)).toEqual([]);
  expect(await ledgerDisagreements(domains)).not.toEqual([]);
});
