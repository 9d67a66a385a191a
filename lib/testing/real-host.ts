import { vi } from 'vitest';
import { startHostAgent } from '@/lib/compute/host-agent';
import { queryOne } from '@/lib/db/pool';
import { sql } from '@/lib/db/sql';
import type { Subject } from '@/lib/engines/contract/subject';
import { replaceEngines } from '@/lib/engines/engines';
import { startWorker } from '@/lib/operations/worker';
import { operationSteps } from '@/lib/platform/work';
import { TINY_IMAGE } from './hosts';

/** All that a worker does, in this process and with real engines, once its host has reported to the platform. */
export async function startRealHost({ engine }: Subject): Promise<{ stop(): Promise<void> }> {
  replaceEngines({ ...engine, probe: async () => [] });
  const worker = startWorker({ steps: operationSteps, jobs: [] });
  const agent = startHostAgent();
  await vi.waitUntil(() => queryOne(sql`SELECT FROM hosts`), { timeout: 30_000 });
  return {
    async stop() {
      await Promise.all([worker.stop(), agent.stop()]);
      await engine.images.removeImage(TINY_IMAGE);
    },
  };
}
