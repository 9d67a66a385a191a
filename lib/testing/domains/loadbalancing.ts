import { created, type DomainTesting, member } from '../fixture';
import { createCell } from '../hosts';
import { defaultNetwork } from '../machines';

export const loadbalancingTesting: DomainTesting = {
  fixtures: {
    '/lbaas/loadbalancers/{id}': async (project, call) => {
      await createCell();
      const network_id = await defaultNetwork(project);
      const pool = { name: 'web', members: [{ address: '10.0.0.200', port: 8080 }] };
      const listeners = [{ name: 'web', protocol: 'HTTP', port: 80, pool }];
      return created(member(project, call, '/lbaas/loadbalancers', { name: 'fixture', network_id, listeners }));
    },
  },
};
