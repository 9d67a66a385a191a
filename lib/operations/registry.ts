import { computePurges } from '@/lib/compute/purges';
import { instanceSteps } from '@/lib/compute/steps';
import { prepareOwnImages } from '@/lib/images/readiness';
import { imageSteps } from '@/lib/images/steps';
import { meteringJobs } from '@/lib/metering/usage-events';
import { storageSteps } from '@/lib/storage/steps';
import type { PeriodicJob } from './periodic';
import { purges } from './purge';
import type { OperationSteps } from './steps';

/** The steps of every kind of operation. Only workers load this file, and with it the engines. */
export const operationSteps: readonly OperationSteps[] = [...instanceSteps, ...imageSteps, ...storageSteps];

/** Everything that workers do again and again. */
export const periodicJobs: readonly PeriodicJob[] = [...purges, ...computePurges, ...meteringJobs, prepareOwnImages];
