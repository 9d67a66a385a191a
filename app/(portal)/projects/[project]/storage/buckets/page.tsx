'use client';

import { ResourceList } from '@/components/kit/resource/resource-list';
import { useBucketActions } from '@/components/objects/bucket-actions';
import { bucketColumns } from '@/components/objects/bucket-columns';
import { buckets } from '@/components/objects/domain';
import { createBucket, listBuckets } from '@/lib/client/operations/storage';

const aclOptions = [
  { value: 'private', label: 'Private' },
  { value: 'public-read', label: 'Public' },
];

/** Buckets of the project. */
export default function BucketsPage() {
  return (
    <ResourceList
      of={buckets}
      list={listBuckets}
      command={createBucket}
      about="Files of any size, for S3 clients and for browsers. Billed by the bytes that are stored."
      empty="Keep backups, pictures and other files in a bucket. The AWS SDK, rclone and other S3 clients can use it."
      columns={bucketColumns}
      filters={[{ name: 'acl', label: 'Access', options: aclOptions }]}
      actions={useBucketActions()}
    />
  );
}
