import { beforeAll, expect, test } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { merged } from '@/lib/core/domains/portal';
import { sampleServices } from '@/lib/hosts/services/samples';
import { domains } from '@/lib/platform/domains';
import { testDatabase } from '../database';
import { everyEndpoint } from '../every-endpoint';
import { everyResource } from '../every-resource';
import { ledgerDisagreements } from '../faults/ledgers';
import { hostileRequests } from '../hostile-requests';
import { useMemoryEngines } from '../memory-engines';
import { serverSpec } from '../service-spec';
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

test('their members are sampled, found by their names, and have no values while they do not run', async () => {
  const engines = useMemoryEngines();
  const project = await createProject();
  const call = api(endpoints);
  for (const create of Object.values(tested.fixtures)) await create(project, call);
  const [member] = await query<{ id: string; name: string }>(sql`
    SELECT m.id, t.name || '-' || m.ordinal AS name FROM toy_members m JOIN toys t ON t.id = m.toy_id
    WHERE m.project_id = ${project.id}::uuid ORDER BY m.ordinal LIMIT 1`);
  if (!member) throw new Error('no member');
  const spec = serverSpec({ id: member.id, state: { sizeMb: 64 } });
  await engines.services.ensureService(spec);
  await sampleServices('test-host', []);
  const { token } = project.users.reader;
  const latest = async (metric: string) => {
    const address = `/observability/prometheus/api/v1/query?query=${metric}`;
    const { body } = await call('GET', address, { token });
    return (body as { data: { result: { metric: object; value: [number, string] }[] } }).data.result;
  };
  expect(await latest('nephele_toy_member_disk_size_bytes')).toMatchObject([
    {
      metric: { resource_name: member.name, service: 'database' },
      value: [expect.any(Number), String(64 * 1024 ** 2)],
    },
  ]);
  const before = await latest('count_over_time(nephele_toy_member_memory_bytes[1h])');
  await engines.services.stopService(member.id);
  await sampleServices('test-host', []);
  expect(before).toMatchObject([{ value: [expect.any(Number), '1'] }]);
  expect(await latest('count_over_time(nephele_toy_member_memory_bytes[1h])')).toMatchObject([
    { value: [expect.any(Number), '1'] },
  ]);
});

test('their checks run: resources agree with quota, devices and reservations', async () => {
  const project = await createProject();
  for (const create of Object.values(tested.fixtures)) await create(project, api(endpoints));
  expect(await ledgerDisagreements(domainsWithToys)).toEqual([]);
  expect(await ledgerDisagreements(domains)).not.toEqual([]);
});
