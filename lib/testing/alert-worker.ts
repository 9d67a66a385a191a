import { startWorker } from '@/lib/core/operations/worker';
import { deliverySteps } from '@/lib/money/alerts/delivery';

/* A worker process of its own that delivers alerts, for tests that kill it or read its log. It says when it runs. */
startWorker({ steps: [deliverySteps], jobs: [], lease_ms: 300 });
process.send?.('ready');
