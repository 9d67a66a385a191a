import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
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
  // A project's second fixture is its first one.
  if (status !== 201 && status !== 409) throw new Error(`a fixture was not created: ${status} ${JSON.stringify(answer)}`);
}

const names = { ns: 'default', name: 'fixture' };

/** A job as a finished upgrade leaves it. */
async function createJob(project: TestProject): Promise<string> {
  const id = newId();
  await execute(sql`INSERT INTO database_jobs (id, project_id, cluster_id, stage, from_version, target_version, former_group, next_group, created_at, updated_at, finished_at)
    SELECT ${id}::uuid, c.project_id, c.id, 'rolled_back', '16', '18', 1, 2, platform_now(), platform_now(), platform_now()
    FROM database_clusters c WHERE c.project_id = ${project.id}::uuid`);
  return id;
}

export const databasesTesting: DomainTesting = {
  fixtures: {
    '/dbaas/jobs/{job_id}': async (project, call) => {
      await createFixture(project, call);
      return { job_id: await createJob(project) };
    },
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
