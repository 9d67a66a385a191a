import { startWorker } from '@/lib/core/operations/worker';
import { layerSteps } from '@/lib/domains/layers/steps';
import { replaceEngines } from '@/lib/engines/engines';
import { describeHost } from '@/lib/engines/local/host';
import { LocalServices } from '@/lib/engines/local/services/local-services';
import { ownCell, settings } from '@/lib/settings';
import { MemoryEngines } from './memory-engines';

/* A separate process that builds layers with the real engine of services, for tests that kill it. */
const host = describeHost({ dataDir: settings().dataDir, cacheDir: process.env.PROGRAM_CACHE ?? '' });
replaceEngines(Object.assign(new MemoryEngines(), { services: new LocalServices(host) }), ownCell());
startWorker({ steps: layerSteps, jobs: [], backoff: () => 200 });
// It ends when it is killed.
setInterval(() => {}, 1000);
