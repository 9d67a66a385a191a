import { type DomainWork, none } from '@/lib/core/domains/domain';
import { prepareOwnImages } from './readiness';
import { imageSteps } from './steps';

export const imagesWork: DomainWork = { steps: imageSteps, jobs: [prepareOwnImages], services: none, room: none };
