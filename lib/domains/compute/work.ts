import { type DomainWork, none } from '@/lib/core/domains/domain';
import { instanceRoom } from './admission';
import { computePurges } from './purges';
import { instanceSteps } from './steps';
import { computeWatch } from './watch';

export const computeWork: DomainWork = {
  steps: instanceSteps,
  jobs: computePurges,
  watch: computeWatch,
  services: none,
  room: instanceRoom,
};
