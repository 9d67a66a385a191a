import { created, type DomainTesting, member } from '../fixture';
import { createCell } from '../hosts';
import { defaultNetwork } from '../machines';

/** Test fixtures of toys, for the suites that cover all domains. */
export const toysTesting: DomainTesting = {
  fixtures: {
    '/test/toys/{id}': async (project, call) => {
      await createCell();
      const network_id = await defaultNetwork(project);
      return created(member(project, call, '/test/toys', { name: 'fixture', network_id, security_group_ids: [] }));
    },
  },
};
