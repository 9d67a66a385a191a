import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { settings } from '@/lib/settings';
import { secretEndpoints } from './endpoints';
import { sealedSecrets } from './envelope';
import { secretsPortal } from './portal';

/** Secrets of tenants, each encrypted under its own key. */
export const secrets = domain({
  name: 'secrets',
  endpoints: secretEndpoints,
  tags: { Secrets: 'Passwords, keys and certificates, each encrypted under its own key.' },
  resources: {
    secret: {
      table: 'secrets',
      statuses: none,
      metering: none,
      search: byName('/vault/secrets', {
        status: {
          active: 'r.expires_at IS NULL OR r.expires_at > platform_now()',
          expired: 'r.expires_at <= platform_now()',
        },
      }),
    },
  },
  services: [
    {
      id: 'secrets',
      name: 'Secrets',
      category: 'security',
      description: 'Passwords, keys and certificates, each encrypted under its own key; every read is recorded.',
      resources: ['secret'],
      engines: none,
      limit: () => ({ most: settings().secretsPerProject, setting: 'SECRETS_PER_PROJECT' }),
      reference: 'Secrets',
    },
  ],
  tables: none,
  dependsOn: none,
  portal: secretsPortal,
  sealed: [sealedSecrets],
  checks: none,
  work: async () => (await import('./work')).secretsWork,
  programs: none,
  state: none,
  logs: none,
  metrics: none,
});
