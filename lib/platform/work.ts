import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { purges } from '@/lib/core/operations/purge';
import type { OperationSteps } from '@/lib/core/operations/steps';
import { computePurges } from '@/lib/domains/compute/purges';
import { instanceSteps } from '@/lib/domains/compute/steps';
import { prepareOwnImages } from '@/lib/domains/images/readiness';
import { imageSteps } from '@/lib/domains/images/steps';
import { storageSteps } from '@/lib/domains/storage/steps';
import { deliverySteps } from '@/lib/money/alerts/delivery';
import { alertJobs } from '@/lib/money/alerts/schedule';
import { closeMonthsJob } from '@/lib/money/invoices/close';
import { collectSteps } from '@/lib/money/invoices/collection';
import { meteringJobs } from '@/lib/money/metering/usage-events';
import { settleOpenPages } from '@/lib/money/payments/checkouts';
import { settleOwed } from '@/lib/money/payments/owed';
import { reconciliationJobs } from '@/lib/money/reconciliation/service';
import { accountMailSteps } from '@/lib/people/identity/account-mail-steps';

/** The steps of every kind of operation. Only workers load this file, and with it the engines. */
export const operationSteps: readonly OperationSteps[] = [
  ...instanceSteps,
  ...imageSteps,
  ...storageSteps,
  collectSteps,
  deliverySteps,
  accountMailSteps,
];

/** Everything that workers do again and again. */
export const periodicJobs: readonly PeriodicJob[] = [
  ...purges,
  ...computePurges,
  ...meteringJobs,
  closeMonthsJob,
  ...alertJobs,
  ...reconciliationJobs,
  settleOpenPages,
  settleOwed,
  prepareOwnImages,
];
