import type { Call, DomainTesting } from '../fixture';
import { createCell } from '../hosts';
import { defaultNetwork } from '../machines';
import type { TestProject } from '../world';

const body = { name: 'fixture', vcpus: 1, ram_gb: 1, storage_gb: 1 };

async function createFixture(project: TestProject, call: Call): Promise<void> {
  await createCell();
  const network_id = await defaultNetwork(project);
  const { status, body: answer } = await call('POST', '/dbaas/postgres', {
    token: project.users.member.token,
    body: { ...body, network_id },
  });
  if (status !== 201) throw new Error(`a fixture was not created: ${status} ${JSON.stringify(answer)}`);
}

const names = { ns: 'default', name: 'fixture' };

export const databasesTesting: DomainTesting = {
  fixtures: {
    '/dbaas/clusters/{engine}': async (project, call) => {
      await createFixture(project, call);
      return { engine: 'postgres', ...names };
    },
    '/dbaas/postgres/{ns}': async (project, call) => {
      await createFixture(project, call);
      return names;
    },
  },
};
