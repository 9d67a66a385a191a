import { vi } from 'vitest';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { startWorker } from '@/lib/core/operations/worker';
import type { Subject } from '@/lib/engines/contract/subject';
import { replaceEngines } from '@/lib/engines/engines';
import { untilSettled } from '@/lib/engines/until-settled';
import { startHostAgent } from '@/lib/hosts/agent/agent';
import { operationSteps, watchesOf } from '@/lib/platform/work';
import { ownCell } from '@/lib/settings';
import { TINY_IMAGE } from './hosts';

/** A worker with real engines in this process, once its host has reported to the platform. */
export async function startRealHost({ engine }: Subject): Promise<{ stop(): Promise<void> }> {
  replaceEngines({ ...engine, probe: async () => [] });
  const worker = startWorker({ steps: operationSteps, jobs: [] });
  const agent = startHostAgent(ownCell(), watchesOf(ownCell()));
  await vi.waitUntil(() => queryOne(sql`SELECT FROM cells`), { timeout: 30_000 });
  return {
    async stop() {
      await Promise.all([worker.stop(), agent.stop()]);
      await untilSettled(() => engine.images.removeImage(TINY_IMAGE));
    },
  };
}
