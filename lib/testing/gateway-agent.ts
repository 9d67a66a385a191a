import { onChange } from '@/lib/core/db/changes';
import { Ingress } from '@/lib/domains/gateway/ingress/ingress';
import { advanceRollouts } from '@/lib/domains/gateway/rollouts';
import { countTraffic } from '@/lib/domains/gateway/traffic/traffic';
import { gatewayWork } from '@/lib/domains/gateway/work';
import { applyRouters } from '@/lib/domains/network/topology';
import type { ServiceSource, WantedService } from '@/lib/hosts/services/engine';
import { keepServices } from '@/lib/hosts/services/keeper';
import { ownCell } from '@/lib/settings';
import { repeat } from './repeat';

/** The keeper must not take the gateway for a stray. */
const gateways: ServiceSource = {
  stopOrder: 0,
  wantedServices: async (cell) => (gatewayWork.services === 'none' ? [] : gatewayWork.services.wantedServices(cell)),
};

/**
 * What the worker and the agent do for the gateway, in this process.
 * @param machines other services of the cell
 */
export function runGatewayAgent(machines: () => Iterable<WantedService>) {
  const cell = ownCell();
  const others: ServiceSource = { stopOrder: 0, wantedServices: async () => [...machines()] };
  let ingress = new Ingress(cell);
  const changes = onChange(() => ingress.changed());
  const ends: (() => Promise<unknown>)[] = [
    () => changes.stop(),
    repeat(500, () => advanceRollouts(cell)),
    repeat(500, () => countTraffic(cell)),
    repeat(1000, () => ingress.settled()),
    repeat(500, () => keepServices(cell, [others, gateways])),
    repeat(200, () => applyRouters(cell)),
    // Its socket for functions would keep a process that does nothing else.
    () => ingress.close(),
  ];
  return {
    get ingress() {
      return ingress;
    },

    /** A worker that knows nothing of what the last one did. */
    async restart(): Promise<void> {
      await ingress.settled();
      await ingress.close();
      ingress = new Ingress(cell);
    },

    async stop(): Promise<void> {
      for (const end of ends) await end();
    },
  };
}
