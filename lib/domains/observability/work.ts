import { type DomainWork, none } from '@/lib/core/domains/domain';
import { logJobs } from './logs/upkeep';

export const observabilityWork: DomainWork = {
  steps: none,
  jobs: logJobs,
  services: none,
  room: none,
  watch: none,
};
