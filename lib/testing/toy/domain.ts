import { sql } from '@/lib/core/db/sql';
import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { serviceMetrics } from '@/lib/hosts/services/service-metrics';
import { toyChecks } from './checks';
import { toyEndpoints } from './endpoints';
import { toyProgram } from './member-spec';
import { toyStatuses } from './schema';

/** A test-only domain with every part that a domain of services has (docs/adding-a-domain.md). */
export const toys = domain({
  name: 'toys',
  endpoints: toyEndpoints,
  tags: { Toys: 'Notes on two servers, one of which answers.' },
  resources: { toy: { table: 'toys', statuses: toyStatuses, metering: none, search: byName('/test/toys') } },
  services: [
    {
      id: 'toys',
      name: 'Toys',
      category: 'compute',
      description: 'Notes on two servers, one of which answers.',
      resources: ['toy'],
      engines: ['services'],
      reference: 'Toys',
    },
  ],
  tables: ['toy_members'],
  dependsOn: none,
  portal: { topics: { toy: ['/api/v1/test/toys'] }, actions: none, sections: { Toys: ['Toys'] } },
  sealed: [{ table: 'toys', column: 'sealed_password', key: 'id', bound: "'toys:' || id" }],
  checks: toyChecks,
  work: async () => {
    const { toyRoom, toyServices, toySteps } = await import('./steps');
    return { steps: toySteps(), jobs: none, services: toyServices, room: toyRoom, watch: none };
  },
  programs: [toyProgram.name],
  state: ['engine/services'],
  logs: [
    {
      service: 'database',
      from: 'process',
      writers: (cell) => sql`SELECT m.id, t.project_id, t.id AS resource_id, t.name AS resource_name
        FROM toy_members m JOIN toys t ON t.id = m.toy_id WHERE t.cell_id = ${cell}::text`,
    },
  ],
  metrics: {
    toy_member: {
      service: 'database',
      metrics: serviceMetrics('toy_member'),
      devices:
        "SELECT m.project_id, m.id, t.name || '-' || m.ordinal AS name FROM toy_members m JOIN toys t ON t.id = m.toy_id",
    },
  },
});
