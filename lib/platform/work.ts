import type { Sql } from '@/lib/core/db/sql';
import { metricPurges, rollUpJob } from '@/lib/core/devices/rollups';
import { type Domain, each, none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { purges } from '@/lib/core/operations/purge';
import type { OperationSteps } from '@/lib/core/operations/steps';
import { logsWatch } from '@/lib/domains/observability/logs/collect';
import { pushSamplesJob } from '@/lib/domains/observability/metrics/prometheus/push';
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
import { notificationPurge } from '@/lib/people/notifications/service';
import { rotateSsoKeysJob } from '@/lib/people/oidc/keys';
import { ssoRecordPurge } from '@/lib/people/oidc/records';
import { billingRulesOf } from './checks';
import { domains } from './domains';

/** The work of a platform's workers. */
type PlatformWork = {
  /** The steps of every operation kind. */
  readonly steps: readonly OperationSteps[];
  /** Periodic jobs. */
  readonly jobs: readonly PeriodicJob[];
  /** The watches of a cell's agent. */
  readonly watchesOf: (cell: string) => readonly Watch[];
  /** Expected reservations of resources in cells: `cell_id, device_id, kind, amount`. */
  readonly room: readonly Sql[];
};

/** The work of a platform with these domains. */
export async function workOf(of: readonly Domain[]): Promise<PlatformWork> {
  const work = await Promise.all(of.flatMap((domain) => (domain.work === none ? [] : [domain.work()])));
  const room = work.flatMap(({ room: held }) => (held === none ? [] : [held]));
  const services = work.flatMap(({ services: source }) => (source === none ? [] : [source]));
  const logs = of.flatMap((domain) => each(domain.logs));
  return {
    room,
    steps: [...work.flatMap(({ steps }) => each(steps)), collectSteps, deliverySteps, accountMailSteps],
    jobs: [
      ...purges,
      ...metricPurges,
      rollUpJob,
      pushSamplesJob(of),
      notificationPurge,
      ssoRecordPurge,
      rotateSsoKeysJob,
      egressPurge,
      ...meteringJobs,
      closeMonthsJob,
      ...alertJobs,
      ...reconciliationJobs(billingRulesOf(of)),
      settleOpenPages,
      settleOwed,
      ...work.flatMap(({ jobs }) => each(jobs)),
      renewCertificatesJob,
      compareReservations(room),
    ],
    watchesOf: (cell) => [
      ...work.flatMap(({ watch }) => (watch === none ? [] : [watch(cell)])),
      servicesWatch(cell, services),
      logsWatch(cell, logs),
    ],
  };
}

/** Only workers load this file, because it imports the engines. */
export const { steps: operationSteps, jobs: periodicJobs, watchesOf } = await workOf(domains);
