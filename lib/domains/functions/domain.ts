import { sql } from '@/lib/core/db/sql';
import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { functionEndpoints } from './endpoints';
import { sealedEnvironments } from './environment';
import { functionMetrics } from './metrics';
import { functionsPortal } from './portal';
import { functionStatuses } from './schema';

/** Serverless functions: code of tenants that runs when it is called. */
export const functions = domain({
  name: 'functions',
  endpoints: functionEndpoints,
  tags: { Functions: 'Code that runs when it is called, on a schedule, or by HTTP.' },
  resources: {
    function: {
      table: 'functions',
      statuses: functionStatuses,
      metering: none,
      search: byName('/functions'),
    },
  },
  services: [
    {
      id: 'functions',
      name: 'Functions',
      category: 'serverless',
      description: 'Run Python and JavaScript without a machine, by API, URL, route or schedule.',
      resources: ['function'],
      engines: ['functions'],
      reference: 'Functions',
    },
  ],
  tables: ['function_versions', 'function_invocations', 'function_pools'],
  dependsOn: none,
  portal: functionsPortal,
  sealed: [sealedEnvironments],
  checks: {
    billing: none,
    quota: sql`SELECT project_id, id, 'serverless_functions' AS dimension, 1 AS amount FROM functions`,
    devices: sql`SELECT id, 'function' AS kind FROM functions`,
  },
  work: async () => (await import('./work')).functionsWork,
  programs: ['python', 'node', 'deno'],
  state: ['functions'],
  logs: none,
  metrics: { function: { service: 'function', metrics: functionMetrics } },
});
