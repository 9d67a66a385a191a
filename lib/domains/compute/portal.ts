import { type DomainPortal, none } from '@/lib/core/domains/portal';

export const computePortal: DomainPortal = {
  topics: {
    instance: [
      '/api/v1/compute/instances',
      '/api/v1/network/networks',
      '/api/v1/network/ports',
      '/api/v1/network/floating-ips',
      '/api/v1/network/security-groups',
      '/api/v1/storage/volumes',
      '/api/v1/images/images',
      '/api/v1/lbaas/loadbalancers',
      '/api/v1/lbaas/pools',
    ],
    key_pair: ['/api/v1/compute/keypairs'],
  },
  actions: none,
  sections: { Compute: ['Instances', 'Key pairs'] },
};
