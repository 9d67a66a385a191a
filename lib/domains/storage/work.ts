import { type DomainWork, none } from '@/lib/core/domains/domain';
import { storageSteps } from './steps';
import { volumeRoom } from './volumes';
import { storageWatch } from './watch';

export const storageWork: DomainWork = {
  steps: storageSteps,
  jobs: none,
  watch: storageWatch,
  services: none,
  room: volumeRoom,
};
