import { join } from 'node:path';
import { closePool } from '@/lib/core/db/pool';
import { startWorker } from '@/lib/core/operations/worker';
import { startHostAgent } from '@/lib/hosts/agent/agent';
import { watchPrograms } from '@/lib/hosts/services/programs';
import { tryLock, waitForLock } from '@/lib/lock';
import { log } from '@/lib/log';
import { operationSteps, periodicJobs, watchesOf } from '@/lib/platform/work';
import { ownCell, settings } from '@/lib/settings';
import { announceStop } from '@/lib/stopping';
import { runSupervised } from './supervised';

/** Two workers would control one host's machines and networks at the same time, so the second one stands by. */
const lockPath = join(settings().dataDir, 'worker.lock');

const cell = ownCell();

await runSupervised(async () => {
  let parts: { stop(): Promise<void> }[] = [];
  const stopping = new AbortController();
  const begin = () => {
    if (!stopping.signal.aborted)
      parts = [
        startWorker({ cell, steps: operationSteps, jobs: periodicJobs }),
        startHostAgent(cell, watchesOf(cell)),
        watchPrograms(cell),
      ];
  };
  const lock = tryLock(lockPath);
  if ('heldBy' in lock) {
    log.warn({ pid: lock.heldBy }, 'another worker serves this host; this one is on standby');
    waitForLock(lockPath, stopping.signal).then(begin, (error) => {
      if (stopping.signal.aborted) return;
      log.fatal({ err: error }, 'this worker could not enter standby');
      process.exit(1);
    });
  } else begin();
  return {
    async stop() {
      stopping.abort();
      announceStop();
      await Promise.all(parts.map((part) => part.stop()));
      await closePool();
    },
  };
});
