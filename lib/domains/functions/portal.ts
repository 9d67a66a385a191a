import type { DomainPortal } from '@/lib/core/domains/portal';

export const functionsPortal: DomainPortal = {
  topics: { function: ['/api/v1/functions'] },
  actions: {
    'function.replace': 'deployed a new version of function',
    'function.roll_back': 'rolled back function',
    'function.invoke': 'invoked function',
  },
  sections: { Serverless: ['Functions'] },
};
