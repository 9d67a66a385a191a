import { sql } from '@/lib/core/db/sql';
import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { settings } from '@/lib/settings';
import { objectEndpoints } from './endpoints';
import { bucketMetrics } from './metrics';
import { objectsPortal } from './portal';

/** Buckets and objects of tenants, behind an S3 endpoint of the platform's own. */
export const objects = domain({
  name: 'objects',
  endpoints: objectEndpoints,
  tags: { 'Object storage': 'Buckets, objects and access keys for S3 clients.' },
  resources: {
    bucket: {
      table: 'buckets',
      statuses: ['active'],
      metering: ['object_storage'],
      search: byName('/storage/buckets'),
    },
  },
  services: [
    {
      id: 'object-storage',
      name: 'Object storage',
      category: 'storage',
      description: 'Buckets for files of any size, for S3 clients and browsers.',
      resources: ['bucket'],
      engines: none,
      limit: () => ({ most: settings().bucketsPerProject, setting: 'BUCKETS_PER_PROJECT' }),
      reference: 'Object storage',
    },
  ],
  tables: [
    'object_credentials',
    'object_versions',
    'object_blobs',
    'object_uploads',
    'object_parts',
    'completed_uploads',
    'bucket_changes',
    'external_uploads',
    'external_egress',
  ],
  dependsOn: none,
  portal: objectsPortal,
  sealed: [
    {
      table: 'object_credentials',
      column: 'sealed_secret',
      key: 'id',
      bound: "'object_credential:' || project_id || ':' || id",
    },
  ],
  checks: {
    billing: [{ resource_type: 'bucket', metrics: ['object_storage'], billed_in: ['active'] }],
    quota: none,
    devices: sql`SELECT id, 'bucket' AS kind FROM buckets`,
  },
  work: async () => (await import('./work')).objectsWork,
  programs: none,
  state: ['objects'],
  logs: none,
  metrics: { bucket: { service: 'object_storage', metrics: bucketMetrics } },
});
