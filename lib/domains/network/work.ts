import { type DomainWork, none } from '@/lib/core/domains/domain';
import { networkWatch } from './watch';

export const networkWork: DomainWork = { steps: none, jobs: none, watch: networkWatch, services: none, room: none };
