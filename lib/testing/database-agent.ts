import { each } from '@/lib/core/domains/domain';
import { startWorker } from '@/lib/core/operations/worker';
import { clusterAgent } from '@/lib/domains/databases/cluster/agent';
import { forgetAll } from '@/lib/domains/databases/cluster/drivers';
import { databaseServices, databasesWork, OBSERVE_MS } from '@/lib/domains/databases/work';
import { applyRouters } from '@/lib/domains/network/topology';
import type { ServiceSource, WantedService } from '@/lib/hosts/services/engine';
import { keepServices } from '@/lib/hosts/services/keeper';
import { ownCell } from '@/lib/settings';
import { repeat } from './repeat';

/** The worker and the agent of database clusters, in this process. @returns what ends them */
export function runDatabaseAgent(machines: () => WantedService[]): () => Promise<void> {
  const others: ServiceSource = { stopOrder: 0, wantedServices: async () => machines() };
  const worker = startWorker({
    steps: each(databasesWork.steps),
    jobs: each(databasesWork.jobs),
    lease_ms: 5_000,
    backoff: () => 100,
  });
  const ends = [
    repeat(200, () => applyRouters(ownCell())),
    repeat(1_000, () => keepServices(ownCell(), [databaseServices, others])),
    repeat(OBSERVE_MS, clusterAgent(ownCell())),
  ];
  return async () => {
    for (const end of ends) await end();
    await worker.stop();
    await forgetAll();
  };
}
