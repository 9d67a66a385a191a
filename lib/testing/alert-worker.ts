import { startWorker } from '@/lib/core/operations/worker';
import { deliverySteps } from '@/lib/money/alerts/delivery';

/*
 * A separate worker process that delivers alerts, for tests that kill it or read its log. Reports when it is running.
 */
startWorker({ steps: [deliverySteps], jobs: [], lease_ms: 300 });
process.send?.('ready');
