import type { DomainPortal } from '@/lib/core/domains/portal';

export const gatewayPortal: DomainPortal = {
  topics: { gateway_route: ['/api/v1/gateway/routes', '/api/v1/gateway/certificates'] },
  actions: {
    'gateway_route.apply': 'created or changed gateway route',
    'gateway_route.roll_back': 'stopped the rollout of gateway route',
    'gateway_route.rollout_step': 'began the next rollout step of gateway route',
    'gateway_route.rollout_complete': 'completed the rollout of gateway route',
    'gateway_route.rollout_abort': 'aborted the rollout of gateway route',
    'gateway_route.rollout_stop': 'stopped the rollout of gateway route',
  },
  sections: { Networking: ['Gateway routes'] },
};
