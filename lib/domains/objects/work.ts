import { type DomainWork, none } from '@/lib/core/domains/domain';
import { purge } from '@/lib/core/operations/purge';
import { settings } from '@/lib/settings';
import { KeyKeeper } from './external/keys';
import { readSizes } from './external/sizes';
import { sampleBuckets } from './metrics';
import { applyLifecycle } from './store/lifecycle';
import { foldBucketChanges } from './store/usage';

const keys = new KeyKeeper();

/** Of the store that `S3_EXTERNAL_URL` names. */
const ifOutside = (work: (signal: AbortSignal) => Promise<void>) => async (signal: AbortSignal) => {
  if (settings().s3.external) await work(signal);
};

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
    { name: 'keep keys of the outside object storage', every_ms: 2000, run: ifOutside((signal) => keys.keep(signal)) },
    {
      name: 'read sizes of the outside object storage',
      every_ms: 15_000,
      run: ifOutside((signal) => readSizes(signal)),
    },
    purge('external_uploads', 60 * 60_000, "created_at < (SELECT platform_now()) - interval '60 days'"),
    purge('external_egress', 60 * 60_000, "hour < (SELECT platform_now()) - interval '7 days'"),
    purge('completed_uploads', 60 * 60_000, "completed_at < (SELECT platform_now()) - interval '1 day'"),
    purge('object_credentials', 10 * 60_000, "hidden AND expires_at < (SELECT platform_now()) - interval '1 day'"),
  ],
  services: none,
  room: none,
  watch: none,
};
