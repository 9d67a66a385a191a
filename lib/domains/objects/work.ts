import { type DomainWork, none } from '@/lib/core/domains/domain';
import { purge } from '@/lib/core/operations/purge';
import { sampleBuckets } from './metrics';
import { applyLifecycle } from './store/lifecycle';
import { foldBucketChanges } from './store/usage';

export const objectsWork: DomainWork = {
  steps: none,
  jobs: [
    {
      name: 'add up changes of buckets',
      every_ms: 5000,
      async run() {
        await foldBucketChanges();
      },
    },
    { name: 'sample the buckets', every_ms: 15_000, run: sampleBuckets },
    { name: 'apply lifecycle rules', every_ms: 10 * 60_000, run: applyLifecycle },
    purge('completed_uploads', 60 * 60_000, "completed_at < (SELECT platform_now()) - interval '1 day'"),
    purge('object_credentials', 10 * 60_000, "hidden AND expires_at < (SELECT platform_now()) - interval '1 day'"),
  ],
  services: none,
  room: none,
  watch: none,
};
