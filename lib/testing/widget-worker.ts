import { startWorker } from '@/lib/core/operations/worker';
import { widgetSteps } from './widget-operations';

/*
 * A separate worker process for tests that kill it: at the point KILL_AT, or from outside. Reports when it is running.
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
