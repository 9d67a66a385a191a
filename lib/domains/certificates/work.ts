import { type DomainWork, none } from '@/lib/core/domains/domain';
import { certificateJobs } from './acme/jobs';
import { mailCertificateSteps } from './acme/mail';
import { orderCertificateSteps } from './acme/steps';

export const certificatesWork: DomainWork = {
  steps: [orderCertificateSteps, mailCertificateSteps],
  jobs: certificateJobs,
  services: none,
  room: none,
  watch: none,
};
