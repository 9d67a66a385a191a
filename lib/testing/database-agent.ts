import { each, none } from '@/lib/core/domains/domain';
import { startWorker } from '@/lib/core/operations/worker';
import { databaseServices, databasesWork } from '@/lib/domains/databases/work';
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
    jobs: [],
    lease_ms: 5_000,
    backoff: () => 100,
  });
  const stopping = new AbortController();
  const watch = databasesWork.watch === none ? [] : databasesWork.watch(ownCell()).looks;
  const looks = watch.map(({ every_ms, begin }) => ({ every_ms, begun: begin() }));
  const ends = [
    repeat(200, () => applyRouters(ownCell())),
    repeat(1_000, () => keepServices(ownCell(), [databaseServices, others])),
    ...looks.map(({ every_ms, begun }) => repeat(every_ms, () => begun.look(stopping.signal))),
  ];
  return async () => {
    stopping.abort();
    for (const end of ends) await end();
    await worker.stop();
    for (const { begun } of looks) await begun.end?.();
  };
}
