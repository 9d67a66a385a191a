import { startWorker } from '@/lib/core/operations/worker';
import { balancerObserver } from '@/lib/domains/loadbalancing/observer';
import { settleCertificates } from '@/lib/domains/loadbalancing/renewals';
import { loadbalancingSteps } from '@/lib/domains/loadbalancing/steps';
import { balancerServices, OBSERVE_MS } from '@/lib/domains/loadbalancing/work';
import { applyRouters } from '@/lib/domains/network/topology';
import type { ServiceSource, WantedService } from '@/lib/hosts/services/engine';
import { keepServices } from '@/lib/hosts/services/keeper';
import { ownCell } from '@/lib/settings';
import { repeat } from './repeat';

/** More often than a real agent, so that tests need not wait. */
const RENEW_MS = 500;

/**
 * Runs the worker and the agent of load balancers in this process.
 * @param machines other services of the cell
 * @returns ends both
 */
export function runBalancerAgent(machines: () => Iterable<WantedService>): () => Promise<void> {
  const others: ServiceSource = { stopOrder: 0, wantedServices: async () => [...machines()] };
  const worker = startWorker({ steps: loadbalancingSteps, jobs: [], lease_ms: 5_000, backoff: () => 100 });
  const ends = [
    repeat(200, () => applyRouters(ownCell())),
    repeat(500, () => keepServices(ownCell(), [balancerServices, others])),
    repeat(OBSERVE_MS, balancerObserver(ownCell())),
    repeat(RENEW_MS, () => settleCertificates(ownCell())),
  ];
  return async () => {
    for (const end of ends) await end();
    await worker.stop();
  };
}
