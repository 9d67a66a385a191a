import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { log } from '@/lib/log';
import { renewCertificates } from './certificates';

/** Renews service certificates well before they expire. */
export const renewCertificatesJob: PeriodicJob = {
  name: 'renew service certificates',
  every_ms: 60 * 60_000,
  async run(signal) {
    const due = await renewCertificates(signal);
    if (due > 0) log.info({ due }, 'certificates of services were renewed');
  },
};
