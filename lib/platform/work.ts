import { deliverySteps } from '@/lib/alerts/delivery';
import { alertJobs } from '@/lib/alerts/schedule';
import { computePurges } from '@/lib/compute/purges';
import { instanceSteps } from '@/lib/compute/steps';
import { accountMailSteps } from '@/lib/identity/account-mail-steps';
import { prepareOwnImages } from '@/lib/images/readiness';
import { imageSteps } from '@/lib/images/steps';
import { closeMonthsJob } from '@/lib/invoices/close';
import { collectSteps } from '@/lib/invoices/collection';
import { meteringJobs } from '@/lib/metering/usage-events';
import type { PeriodicJob } from '@/lib/operations/periodic';
import { purges } from '@/lib/operations/purge';
import type { OperationSteps } from '@/lib/operations/steps';
import { settleOpenPages } from '@/lib/payments/checkouts';
import { settleOwed } from '@/lib/payments/owed';
import { reconciliationJobs } from '@/lib/reconciliation/service';
import { storageSteps } from '@/lib/storage/steps';

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
