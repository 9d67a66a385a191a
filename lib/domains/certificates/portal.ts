import type { DomainPortal } from '@/lib/core/domains/portal';

export const certificatesPortal: DomainPortal = {
  topics: { certificate: ['/api/v1/gateway/certificates'] },
  actions: { 'certificate.create': 'added certificate' },
  sections: { Networking: ['Certificates'] },
};
