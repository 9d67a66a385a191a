import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sections } from '@/components/reference/sections';
import { domainPortals } from '@/lib/client/domains';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type Domain, each, none } from '@/lib/core/domains/domain';
import { logServices } from '@/lib/core/domains/logs';
import type { BillingRule } from '@/lib/money/metering/billing-rule';
import { metricNames } from '@/lib/money/metering/metrics';
import { testDatabase } from '@/lib/testing/database';
import { domainTesting } from '@/lib/testing/domains';
import { everyResource } from '@/lib/testing/every-resource';
import { ledgerDisagreements } from '@/lib/testing/faults/ledgers';
import { api, createProject } from '@/lib/testing/world';
import { billingRules } from './checks';
import { domains } from './domains';
import { endpoints } from './endpoints';
import { operationSteps, periodicJobs } from './work';

testDatabase();

everyResource({ domains, endpoints });

const folder = 'lib/domains';
const tablesOf = (domain: (typeof domains)[number]) => [
  ...Object.values(domain.resources).map(({ table }) => table),
  ...each<string>(domain.tables),
];

test('every domain folder has a declaration and is listed', () => {
  expect(domains.map(({ name }) => name).toSorted()).toEqual(readdirSync(folder).toSorted());
});

test('pages know every domain', () => {
  expect(domains.map(({ portal }) => portal).filter((portal) => !domainPortals.includes(portal))).toEqual([]);
});

test.each(domains)('$name: every tag of its endpoints is described, and every description used', (domain) => {
  const used = new Set(domain.endpoints.map(({ tag }) => tag));
  expect(Object.keys(domain.tags).toSorted()).toEqual([...used].toSorted());
});

test.each(domains)('$name: its tags are in the declared sections of the API reference', (domain) => {
  for (const [label, groups] of Object.entries(domain.portal.sections)) {
    const section = sections.find((candidate) => candidate.label === label);
    expect(Object.keys(section?.groups ?? {})).toEqual(expect.arrayContaining([...groups]));
  }
  expect(Object.values(domain.portal.sections).flat().toSorted()).toEqual(Object.keys(domain.tags).toSorted());
});

test.each(domains)('$name: pages refetch what a change of each of its resources invalidates', (domain) => {
  expect(Object.keys(domain.portal.topics).toSorted()).toEqual(Object.keys(domain.resources).toSorted());
  const paths = new Set(endpoints.filter(({ method }) => method === 'GET').map(({ path }) => `/api/v1${path}`));
  expect(
    Object.values(domain.portal.topics)
      .flat()
      .filter((path) => !paths.has(path)),
  ).toEqual([]);
});

test.each(domains)('$name: search results are visible to exactly those who may read the list', (domain) => {
  const lists = new Set(endpoints.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const searches = Object.values(domain.resources).flatMap(({ search }) => (search === none ? [] : [search.list]));
  expect(searches.filter((path) => !lists.has(path))).toEqual([]);
});

test.each(domains)('$name: its tables are those of its schema file', (domain) => {
  const schema = readFileSync(join('prisma/schema', `${domain.name}.prisma`), 'utf8');
  const declared = [...schema.matchAll(/@@map\("(\w+)"\)/g)].flatMap(([, name]) => name ?? []);
  // Hosts belong to no domain.
  const own = declared.filter((table) => !['cells', 'hosts'].includes(table));
  expect(tablesOf(domain).toSorted()).toEqual(own.toSorted());
});

test.each(domains)('$name: it depends on the tables that its foreign keys refer to', async (domain) => {
  const own = tablesOf(domain);
  const foreign = domains.filter((other) => other !== domain).flatMap(tablesOf);
  const rows = await query<{ target: string }>(sql`
    SELECT DISTINCT confrelid::regclass::text AS target FROM pg_constraint
    WHERE contype = 'f' AND conrelid::regclass::text = ANY (${own}::text[]) AND confrelid::regclass::text = ANY (${foreign}::text[])`);
  expect(each<string>(domain.dependsOn).toSorted()).toEqual(rows.map(({ target }) => target).toSorted());
});

test.each(domains)('$name: the database bills exactly the resources declared as metered', async (domain) => {
  const rows = await query<{ table: string }>(sql`
    SELECT DISTINCT tgrelid::regclass::text AS table FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY (${tablesOf(domain)}::text[])
      AND (p.proname ~ '_moved$' OR p.proname ~ 'metered')`);
  const metered = Object.values(domain.resources).filter(({ metering }) => metering !== none);
  expect(metered.map(({ table }) => table).toSorted()).toEqual(rows.map(({ table }) => table).toSorted());
  const named = metered.flatMap(({ metering }) => each<string>(metering));
  expect(named.filter((metric) => !metricNames.some((known) => known === metric))).toEqual([]);
});

test.each(domains)('$name: every billed resource has a reconciliation rule', (domain) => {
  const rules = domain.checks === none ? [] : each<BillingRule>(domain.checks.billing);
  const named = rules.flatMap(({ resource_type, metrics }) => metrics.map((metric) => `${resource_type} ${metric}`));
  const billed = Object.entries(domain.resources).flatMap(([type, { metering }]) =>
    each<string>(metering).map((metric) => `${type} ${metric}`),
  );
  expect(named.toSorted()).toEqual(billed.toSorted());
  expect(rules.filter((rule) => !billingRules.includes(rule))).toEqual([]);
});

describe('resources agree with quota, devices and reservations', () => {
  beforeAll(async () => {
    const project = await createProject('agreeing');
    const call = api();
    for (const { fixtures } of Object.values(domainTesting)) {
      for (const create of Object.values(fixtures === none ? {} : fixtures)) await create(project, call);
    }
  });

  test('of every domain', async () => {
    expect(await ledgerDisagreements(domains)).toEqual([]);
  });

  const holders = domains.flatMap(({ name, checks }) => (checks === none ? [] : [{ name, checks }]));
  test.each(holders)('$name: a resource missing from a ledger is detected', async ({ name, checks }) => {
    const others = domains.filter((domain) => domain.name !== name);
    const found = (await ledgerDisagreements(others)).map((line) => line.split(':')[0]?.split(' ')[0]);
    expect(found.includes('ledger')).toBe(checks.quota !== none);
    expect(found.includes('device')).toBe(checks.devices !== none);
  });
});

test.each<Domain>(domains)(
  '$name: its devices report metrics, and those are named for their resource and unit',
  (domain) => {
    const devices = domain.checks !== none && domain.checks.devices !== none;
    expect(domain.metrics !== none).toBe(devices);
    for (const [kind, { service, metrics, devices: rows }] of Object.entries(
      domain.metrics === none ? {} : domain.metrics,
    )) {
      expect(rows !== undefined || kind in domain.resources, `${kind} is a resource, or says where its rows are`).toBe(
        true,
      );
      expect(logServices).toContain(service);
      const names = metrics.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(metrics.filter(({ name, unit }) => !new RegExp(`^nephele_${kind}_\\w+_${unit}$`).test(name))).toEqual([]);
    }
  },
);

test('docs/api-guide.md lists every metric, and no other', () => {
  const metrics = domains.flatMap((domain: Domain) => (domain.metrics === none ? [] : Object.values(domain.metrics)));
  const expected = metrics.flatMap((kind) =>
    kind.metrics.map(({ name, type, unit, help }) => `| \`${name}\` | ${type} | ${unit} | ${help} |`),
  );
  const listed = readFileSync('docs/api-guide.md', 'utf8').match(/^\| `nephele_.*$/gm) ?? [];
  expect(listed.toSorted()).toEqual(expected.toSorted());
});

test.each(domains)('$name: the database allows exactly the declared statuses of a resource', async (domain) => {
  for (const { table, statuses } of Object.values(domain.resources)) {
    const rows = await query<{ definition: string }>(sql`
      SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE contype = 'c' AND conrelid = ${table}::regclass`);
    const lists = rows.flatMap(({ definition }) => /\bstatus = ANY \(ARRAY\[([^\]]*)\]/.exec(definition)?.[1] ?? []);
    const allowed = lists.flatMap((list) => [...list.matchAll(/'(\w+)'/g)].map(([, word]) => word));
    expect([...new Set(allowed)].toSorted()).toEqual(each<string>(statuses).toSorted());
  }
});

test.each<Domain>(domains)('$name: workers run its operations and jobs', async (domain) => {
  const hasWork = ['operations.ts', 'purges.ts', 'observer.ts', 'watch.ts', 'work.ts'].some((file) =>
    existsSync(join(folder, domain.name, file)),
  );
  if (domain.work === none) {
    expect(hasWork).toBe(false);
    return;
  }
  const { steps, jobs } = await domain.work();
  expect(each(steps).filter((one) => !operationSteps.includes(one))).toEqual([]);
  expect(each(jobs).filter((one) => !periodicJobs.includes(one))).toEqual([]);
});
