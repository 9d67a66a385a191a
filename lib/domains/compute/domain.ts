import { sql } from '@/lib/core/db/sql';
import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { addressesOfDevices } from '@/lib/domains/network/search';
import { computeChecks } from './checks';
import { computeEndpoints } from './endpoints';
import { instanceMetrics } from './instance-metrics';
import { computePortal } from './portal';
import { instanceStatuses } from './transitions';

/** Virtual machines: what they are made of, and everything that can be done to them. */
export const compute = domain({
  name: 'compute',
  endpoints: computeEndpoints,
  tags: {
    Instances: 'Virtual machines: flavors, actions, consoles and metrics.',
    'Key pairs': 'Public SSH keys for signing in to new instances.',
  },
  resources: {
    instance: {
      table: 'instances',
      statuses: instanceStatuses,
      metering: ['block_storage', 'compute_memory', 'compute_vcpu', 'gpu_slice'],
      search: byName('/compute/instances', { addresses: addressesOfDevices }),
    },
    key_pair: { table: 'key_pairs', statuses: none, metering: none, search: byName('/compute/keypairs') },
  },
  services: [
    {
      id: 'instances',
      name: 'Virtual machines',
      category: 'compute',
      description:
        'Linux and other guests with your own keys, volumes and networks, billed by the second while they run.',
      resources: ['instance', 'key_pair'],
      engines: ['compute', 'network', 'images'],
      reference: 'Instances',
    },
  ],
  tables: ['console_sessions', 'flavors'],
  dependsOn: ['images'],
  portal: computePortal,
  sealed: none,
  checks: computeChecks,
  work: async () => (await import('./work')).computeWork,
  programs: none,
  state: ['engine/instances', 'engine/layers'],
  logs: [
    {
      service: 'compute',
      from: 'console',
      writers: (cell) =>
        sql`SELECT id, project_id, id AS resource_id, name AS resource_name FROM instances WHERE cell_id = ${cell}::text`,
    },
  ],
  metrics: { instance: { service: 'compute', metrics: instanceMetrics } },
});
