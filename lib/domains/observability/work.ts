import { type DomainWork, none } from '@/lib/core/domains/domain';
import { auditJob } from './logs/audit-source';
import { logJobs } from './logs/upkeep';

export const observabilityWork: DomainWork = {
  steps: none,
  jobs: [auditJob, ...logJobs],
  services: none,
  room: none,
  watch: none,
};
