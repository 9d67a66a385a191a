import type { DomainPortal } from '@/lib/core/domains/portal';

export const secretsPortal: DomainPortal = {
  topics: { secret: ['/api/v1/vault/secrets'] },
  actions: { 'secret.read_payload': 'read the value of secret' },
  sections: { Security: ['Secrets'] },
};
