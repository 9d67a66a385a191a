import { closePool } from '@/lib/db/pool';
import { startWorker } from '@/lib/operations/worker';
import { announceStop } from './stopping';
import { runSupervised } from './supervised';

await runSupervised(async () => {
  const worker = await startWorker();
  return {
    async stop() {
      announceStop();
      await worker.stop();
      await closePool();
    },
  };
});
