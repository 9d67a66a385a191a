import { startWorker } from '@/lib/core/operations/worker';
import { applyRouters } from '@/lib/domains/network/topology';
import { replaceEngines } from '@/lib/engines/engines';
import { describeHost } from '@/lib/engines/local/host';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { LocalServices } from '@/lib/engines/local/services/local-services';
import { EgressProxies } from '@/lib/hosts/services/egress';
import { keepServices } from '@/lib/hosts/services/keeper';
import { ownCell, settings } from '@/lib/settings';
import { toyProgram } from './member-spec';
import { toyServices, toySteps } from './steps';

/*
 * A separate worker process of toys with the real engines, for tests that kill it: at the stage KILL_AT, or from
 * outside. Reports when it is running.
 */
const killAt = process.env.KILL_AT;
const options = { dataDir: settings().dataDir, cacheDir: process.env.TOY_CACHE ?? '' };
replaceEngines({
  ...openLocalEngine(options),
  services: new LocalServices(describeHost(options), [toyProgram]),
});

startWorker({
  steps: toySteps((point) => {
    if (point === killAt) process.kill(process.pid, 'SIGKILL');
  }),
  jobs: [],
  lease_ms: 2000,
  backoff: () => 100,
});
// External names resolve to this machine, which a test's operator allows.
const outside = new EgressProxies(
  ownCell(),
  { allowed: ['127.0.0.1'], resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
  [Number(process.env.TOY_OUTSIDE)],
);
const ways = new Map([[toyServices, outside]]);
setInterval(() => void keepServices(ownCell(), [toyServices], ways).catch((error) => console.error(error)), 1000);
setInterval(() => void applyRouters(ownCell()).catch((error) => console.error(error)), 300);
process.send?.('ready');
