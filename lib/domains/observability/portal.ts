import { type DomainPortal, none } from '@/lib/core/domains/portal';

export const observabilityPortal: DomainPortal = {
  topics: {},
  actions: none,
  sections: { Observability: ['Logs'] },
};
