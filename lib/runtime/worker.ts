import { startHostAgent } from '@/lib/compute/host-agent';
import { closePool } from '@/lib/db/pool';
import { startWorker } from '@/lib/operations/worker';
import { announceStop } from './stopping';
import { runSupervised } from './supervised';

await runSupervised(async () => {
  const worker = startWorker();
  const host = startHostAgent();
  return {
    async stop() {
      announceStop();
      await Promise.all([worker.stop(), host.stop()]);
      await closePool();
    },
  };
});
