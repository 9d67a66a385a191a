import { startWorker } from '@/lib/core/operations/worker';
import { orderCertificateSteps } from '@/lib/domains/certificates/acme/steps';

/*
 * A separate worker process for tests that kill it: after the work of the stage KILL_AT, before its result is written.
 */
const killAt = process.env.KILL_AT;

startWorker({
  steps: [
    {
      ...orderCertificateSteps,
      async run(step) {
        const outcome = await orderCertificateSteps.run(step);
        if (step.operation.stage === killAt && outcome.end !== 'again') process.kill(process.pid, 'SIGKILL');
        return outcome;
      },
    },
  ],
  jobs: [],
  lease_ms: 1500,
  backoff: () => 10,
});
process.send?.('ready');
