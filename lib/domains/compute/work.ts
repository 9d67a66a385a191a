import { type DomainWork, none } from '@/lib/core/domains/domain';
import { instanceRoom } from './admission';
import { computePurges } from './purges';
import { instanceSteps } from './steps';

export const computeWork: DomainWork = {
  steps: instanceSteps,
  jobs: computePurges,
  services: none,
  room: instanceRoom,
};
