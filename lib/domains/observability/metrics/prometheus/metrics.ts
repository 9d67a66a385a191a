import { Gauge } from 'prom-client';
import { queueAge_s } from '@/lib/core/devices/pushes';
import { log } from '@/lib/log';
import { registry } from '@/lib/metrics';

const behind = new Gauge({
  name: 'nephele_prometheus_behind_seconds',
  help: 'Age of the oldest sample that the Prometheus of PROMETHEUS_URL does not have yet; 0 if it has all.',
  registers: [registry],
});

/** Updates the gauge; without a database it keeps the last value. */
export async function measureSamplePushes(): Promise<void> {
  try {
    behind.set(await queueAge_s());
  } catch (error) {
    log.warn({ err: error }, 'the samples that wait for Prometheus could not be read');
  }
}
