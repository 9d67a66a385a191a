import { startWorker } from '@/lib/core/operations/worker';
import { widgetSteps } from './widget-operations';

/*
 * A worker process of its own for tests that kill it: at the point that KILL_AT names, or from outside. It says when
 * it runs.
 */
const killAt = process.env.KILL_AT;

startWorker({
  steps: widgetSteps((point) => {
    if (point === killAt) process.kill(process.pid, 'SIGKILL');
  }),
  jobs: [],
  lease_ms: 300,
  backoff: () => 10,
});
process.send?.('ready');
