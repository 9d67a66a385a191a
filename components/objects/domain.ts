import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const buckets: ResourceKind = {
  label: 'Buckets',
  noun: 'bucket',
  type: 'bucket',
  telemetry: { metrics: true },
  icon: kindIcon('archive'),
  href: paths.buckets,
  keywords: ['object', 's3', 'file', 'storage', 'upload', 'backup', 'blob'],
  create: { label: 'Create bucket', href: paths.newBucket, operation: 'createBucket' },
  found: { type: 'bucket', one: (project, id) => paths.bucket(project, id) },
};

export const accessKeys: ResourceKind = {
  label: 'Access keys',
  noun: 'access key',
  icon: kindIcon('key-square'),
  href: (project) => paths.accessKeys(project),
  keywords: ['s3', 'credential', 'secret', 'aws', 'rclone', 'boto3'],
  create: { label: 'Create access key', href: paths.newAccessKey, operation: 'createStorageCredential' },
  found: { type: 'access_key', one: (project, _, search) => paths.accessKeys(project, search) },
};
