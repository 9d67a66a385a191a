import { type DomainWork, none } from '@/lib/core/domains/domain';
import { computePurges } from './purges';
import { instanceSteps } from './steps';

export const computeWork: DomainWork = { steps: instanceSteps, jobs: computePurges, services: none };
