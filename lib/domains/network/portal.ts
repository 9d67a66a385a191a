import { type DomainPortal, none } from '@/lib/core/domains/portal';

export const networkPortal: DomainPortal = {
  topics: {
    router: ['/api/v1/network/routers'],
    floating_ip: [
      '/api/v1/network/floating-ips',
      '/api/v1/network/ports',
      '/api/v1/network/routers',
      '/api/v1/compute/instances',
      '/api/v1/lbaas/loadbalancers',
    ],
    network: ['/api/v1/network/networks', '/api/v1/network/routers', '/api/v1/network/ports'],
    port: ['/api/v1/network/ports', '/api/v1/network/security-groups', '/api/v1/compute/instances'],
    security_group: ['/api/v1/network/security-groups'],
  },
  actions: none,
  sections: { Networking: ['Networks', 'Security groups', 'Floating IPs'] },
};
