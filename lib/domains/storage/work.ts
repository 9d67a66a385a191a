import { type DomainWork, none } from '@/lib/core/domains/domain';
import { storageSteps } from './steps';
import { volumeRoom } from './volumes';

export const storageWork: DomainWork = { steps: storageSteps, jobs: none, services: none, room: volumeRoom };
