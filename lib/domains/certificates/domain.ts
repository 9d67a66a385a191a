import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { settings } from '@/lib/settings';
import { sealedAcmeKeys } from './acme/sealed';
import { certificateEndpoints } from './endpoints';
import { certificatesPortal } from './portal';
import { sealedKeys } from './sealed-key';
import { statusConditions } from './view';

/** TLS certificates that listeners and routes serve. */
export const certificates = domain({
  name: 'certificates',
  endpoints: certificateEndpoints,
  tags: { Certificates: 'TLS certificates with their private keys, for listeners and routes.' },
  resources: {
    certificate: {
      table: 'certificates',
      statuses: none,
      metering: none,
      search: byName('/gateway/certificates', { status: statusConditions }),
    },
  },
  services: [
    {
      id: 'certificates',
      name: 'Certificates',
      category: 'networking',
      description: 'TLS certificates for load balancers and routes. Private keys are encrypted at rest.',
      resources: ['certificate'],
      engines: none,
      limit: () => ({ most: settings().certificatesPerProject, setting: 'CERTIFICATES_PER_PROJECT' }),
      reference: 'Certificates',
    },
  ],
  tables: ['acme_accounts', 'acme_challenges', 'acme_orders', 'certificate_uses'],
  dependsOn: none,
  portal: certificatesPortal,
  sealed: [sealedKeys, ...sealedAcmeKeys],
  checks: none,
  work: async () => (await import('./work')).certificatesWork,
  programs: none,
  state: none,
  logs: none,
  metrics: none,
});
