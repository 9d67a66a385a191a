import { samplePurge } from '@/lib/core/devices/samples';
import { each, none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { purges } from '@/lib/core/operations/purge';
import type { OperationSteps } from '@/lib/core/operations/steps';
import { renewCertificatesJob } from '@/lib/hosts/certificates/jobs';
import { compareReservations } from '@/lib/hosts/engine-reports/reservations';
import { servicesWatch } from '@/lib/hosts/services/watch';
import { deliverySteps } from '@/lib/money/alerts/delivery';
import { alertJobs } from '@/lib/money/alerts/schedule';
import { closeMonthsJob } from '@/lib/money/invoices/close';
import { collectSteps } from '@/lib/money/invoices/collection';
import { egressPurge } from '@/lib/money/metering/egress';
import { meteringJobs } from '@/lib/money/metering/usage-events';
import { settleOpenPages } from '@/lib/money/payments/checkouts';
import { settleOwed } from '@/lib/money/payments/owed';
import { reconciliationJobs } from '@/lib/money/reconciliation/service';
import { accountMailSteps } from '@/lib/people/identity/account-mail-steps';
import { domains } from './domains';

const work = await Promise.all(domains.flatMap((domain) => (domain.work === none ? [] : [domain.work()])));

/** The steps of every kind of operation. Only workers load this file, and with it the engines. */
export const operationSteps: readonly OperationSteps[] = [
  ...work.flatMap(({ steps }) => each(steps)),
  collectSteps,
  deliverySteps,
  accountMailSteps,
];

/** Everything that workers do again and again. */
export const periodicJobs: readonly PeriodicJob[] = [
  ...purges,
  samplePurge,
  egressPurge,
  ...meteringJobs,
  closeMonthsJob,
  ...alertJobs,
  ...reconciliationJobs,
  settleOpenPages,
  settleOwed,
  ...work.flatMap(({ jobs }) => each(jobs)),
  renewCertificatesJob,
  compareReservations(work.flatMap(({ room }) => (room === none ? [] : [room]))),
];

/** What the agent of a cell looks after. */
export const watchesOf = (cell: string): readonly Watch[] => [
  ...work.flatMap(({ watch }) => (watch === none ? [] : [watch(cell)])),
  servicesWatch(
    cell,
    work.flatMap(({ services }) => (services === none ? [] : [services])),
  ),
];
