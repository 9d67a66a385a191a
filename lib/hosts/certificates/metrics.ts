import { Gauge } from 'prom-client';
import { log } from '@/lib/log';
import { registry } from '@/lib/metrics';
import { certificateEnds } from './certificates';

const certificates = new Gauge({
  name: 'nephele_service_certificates',
  help: 'Certificates that the platform issued to its services; late: renewal is overdue by a day or more.',
  labelNames: ['state'],
  registers: [registry],
});
const firstEnd = new Gauge({
  name: 'nephele_service_certificate_first_end_timestamp_seconds',
  help: 'When the first certificate of a service ends; 0 while there is none.',
  registers: [registry],
});

/** Updates the gauges; without a database they keep the last values. */
export async function measureCertificates(): Promise<void> {
  try {
    const { count, first, late } = await certificateEnds();
    certificates.set({ state: 'late' }, late.length);
    certificates.set({ state: 'valid' }, count - late.length);
    firstEnd.set(first ? first.getTime() / 1000 : 0);
  } catch (error) {
    log.warn({ err: error }, 'the ends of certificates could not be read');
  }
}
