import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { storageChecks } from './checks';
import { storageEndpoints } from './endpoints';
import { storagePortal } from './portal';
import { snapshotStatuses, volumeStatuses } from './schema';
import { volumeMetrics } from './volume-metrics';

/** Block storage: volumes for instances, and copies of them at a point in time. */
export const storage = domain({
  name: 'storage',
  endpoints: storageEndpoints,
  tags: {
    Volumes: 'Block storage to attach to instances.',
    Snapshots: 'Point-in-time copies of volumes.',
  },
  resources: {
    volume: {
      table: 'volumes',
      statuses: volumeStatuses,
      metering: ['block_storage'],
      search: byName('/storage/volumes'),
    },
    snapshot: {
      table: 'snapshots',
      statuses: snapshotStatuses,
      metering: ['block_storage'],
      search: byName('/storage/snapshots'),
    },
  },
  services: [
    {
      id: 'volumes',
      name: 'Block storage',
      category: 'storage',
      description: 'Disks that outlive their instance, grow while in use, and can be copied at any moment.',
      resources: ['volume', 'snapshot'],
      engines: ['storage'],
      reference: 'Volumes',
    },
  ],
  tables: ['volume_attachments'],
  dependsOn: ['images', 'instances'],
  portal: storagePortal,
  sealed: none,
  checks: storageChecks,
  work: async () => (await import('./work')).storageWork,
  programs: none,
  state: ['engine/layers', 'engine/snapshots', 'engine/volumes'],
  logs: none,
  metrics: { volume: { service: 'compute', metrics: volumeMetrics } },
});
