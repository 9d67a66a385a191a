import { type DomainPortal, none } from '@/lib/core/domains/portal';

export const imagesPortal: DomainPortal = {
  topics: { image: ['/api/v1/images/images'] },
  actions: none,
  sections: { Compute: ['Images'] },
};
