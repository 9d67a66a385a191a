import type { DomainPortal } from '@/lib/core/domains/portal';

export const loadbalancingPortal: DomainPortal = {
  topics: {
    load_balancer: [
      '/api/v1/lbaas/loadbalancers',
      '/api/v1/lbaas/listeners',
      '/api/v1/lbaas/pools',
      '/api/v1/network/ports',
      '/api/v1/network/floating-ips',
      '/api/v1/gateway/certificates',
      '/api/v1/services/services',
    ],
  },
  actions: {
    'load_balancer.fail_over': 'moved the virtual IP of load balancer',
    'load_balancer.member_down': 'stopped sending traffic to a member of load balancer',
    'load_balancer.member_up': 'resumed sending traffic to a member of load balancer',
    'load_balancer.replace': 'changed load balancer',
  },
  sections: { Networking: ['Load balancers'] },
};
