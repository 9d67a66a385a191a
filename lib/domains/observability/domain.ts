import { domain, none } from '@/lib/core/domains/domain';
import { observabilityEndpoints } from './endpoints';
import { observabilityPortal } from './portal';

/** Logs and metrics of everything in a project. */
export const observability = domain({
  name: 'observability',
  endpoints: observabilityEndpoints,
  tags: { Logs: 'Log lines of every resource, queried in LogQL.' },
  resources: {},
  services: [
    {
      id: 'logs',
      name: 'Logs',
      category: 'observability',
      description: 'Lines of every resource in one place, queried in LogQL.',
      resources: [],
      engines: none,
      reference: 'Logs',
    },
  ],
  tables: ['log_streams', 'log_chunks', 'log_cursors', 'log_usage', 'log_audit_queue', 'log_arrivals', 'log_pushes'],
  dependsOn: none,
  portal: observabilityPortal,
  sealed: none,
  checks: none,
  work: async () => (await import('./work')).observabilityWork,
  programs: none,
  state: none,
  logs: none,
  metrics: none,
});
