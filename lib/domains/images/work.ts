import { type DomainWork, none } from '@/lib/core/domains/domain';
import { prepareOwnImages } from './readiness';
import { imageSteps } from './steps';
import { imagesWatch } from './watch';

export const imagesWork: DomainWork = {
  steps: imageSteps,
  jobs: [prepareOwnImages],
  watch: imagesWatch,
  services: none,
  room: none,
};
