import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { databaseEngines } from '@/lib/domains/databases/engines';
import type { Call, DomainTesting } from '../fixture';
import { createCell } from '../hosts';
import { defaultNetwork } from '../machines';
import type { TestProject } from '../world';

const size = { vcpus: 1, ram_gb: 1, storage_gb: 1 };

/** Several fixtures may stand in one project. */
async function createFixture(project: TestProject, call: Call): Promise<{ ns: string; name: string }> {
  const name = `fixture-${newId().slice(-12)}`;
  await createCell();
  const network_id = await defaultNetwork(project);
  const { status, body: answer } = await call('POST', '/dbaas/postgres', {
    token: project.users.member.token,
    body: { name, ...size, network_id },
  });
  if (status !== 201) throw new Error(`a fixture was not created: ${status} ${JSON.stringify(answer)}`);
  return { ns: 'default', name };
}

/** A job as an upgrade leaves it that was rolled back. */
async function createJob(project: TestProject, name: string): Promise<string> {
  const id = newId();
  await execute(sql`INSERT INTO database_jobs (id, project_id, cluster_id, stage, from_version, target_version, former_group, next_group,
      created_at, updated_at, finished_at)
    SELECT ${id}::uuid, c.project_id, c.id, 'rolled_back', '16', '18', 1, 2, platform_now(), platform_now(), platform_now()
    FROM database_clusters c WHERE c.project_id = ${project.id}::uuid AND c.name = ${name}::text`);
  return id;
}

/** A backup that can be restored, of a cluster that may be gone. */
async function createBackup(project: TestProject): Promise<string> {
  const id = newId();
  await execute(sql`INSERT INTO database_backups (id, project_id, cluster_id, cell_id, engine, namespace, name, version, storage_gb, kind, status,
      size_bytes, verified_at, finished_at, expires_at, created_at, updated_at)
    VALUES (${id}::uuid, ${project.id}::uuid, ${newId()}::uuid, ${await createCell()}::text, 'postgres', 'default', 'gone', '18', 1, 'manual', 'available',
      1, platform_now(), platform_now(), platform_now() + interval '7 days', platform_now(), platform_now())`);
  return id;
}

export const databasesTesting: DomainTesting = {
  fixtures: {
    '/dbaas/backups/{id}': async (project) => ({ id: await createBackup(project) }),
    '/dbaas/jobs/{job_id}': async (project, call) => {
      const { name } = await createFixture(project, call);
      return { job_id: await createJob(project, name) };
    },
    '/dbaas/clusters/{engine}': async (project, call) => {
      return { engine: 'postgres', ...(await createFixture(project, call)) };
    },
    ...Object.fromEntries(
      databaseEngines.map((engine) => [
        `/dbaas/${engine}/{ns}`,
        async (project: TestProject, call: Call) => {
          const names = await createFixture(project, call);
          // As a cluster of an engine that this installation does not have yet would be.
          await execute(
            sql`WITH cluster AS (
                UPDATE database_clusters SET engine = ${engine}::text WHERE project_id = ${project.id}::uuid AND name = ${names.name}::text RETURNING id
              ), released AS (
                -- Clusters of Qdrant are in no quota.
                DELETE FROM quota_ledger l USING cluster WHERE l.resource_id = cluster.id AND ${engine}::text = 'qdrant' RETURNING l.project_id, l.amount
              )
              UPDATE project_accounts a SET databases_used = a.databases_used - released.amount FROM released WHERE a.project_id = released.project_id`,
          );
          return names;
        },
      ]),
    ),
  },
};
