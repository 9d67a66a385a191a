import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { TINY_IMAGE, UPLOADED } from './hosts';
import { defaultNetwork } from './machines';
import { createProject, type TestProject } from './world';

/** A project created at the start of a month, with no other project left to close, so that all invoices are its own. */
export async function projectSince(month: string, name = 'acme'): Promise<TestProject> {
  await execute(sql`UPDATE project_accounts SET billed_until = '2100-01-01'`);
  const project = await createProject(name);
  const began = new Date(`${month}-01T00:00:00Z`);
  await execute(sql`UPDATE projects SET created_at = ${began}::timestamptz WHERE id = ${project.id}::uuid`);
  return project;
}

export type FlavorSize = { vcpus: number; ram_gb: number; disk_gb: number; gpu_slices?: number };

export async function createFlavor({ vcpus, ram_gb, disk_gb, gpu_slices = 0 }: FlavorSize): Promise<string> {
  const id = newId();
  await execute(sql`INSERT INTO flavors (id, name, vcpus, ram_gb, disk_gb, gpu_slices, created_at, updated_at) VALUES (${id}::uuid, ${id}::text,
    ${vcpus}::int, ${ram_gb}::numeric, ${disk_gb}::int, ${gpu_slices}::int, platform_now(), platform_now())`);
  return id;
}

async function deviceRow(project: TestProject, kind: 'instance' | 'volume' | 'database_cluster'): Promise<string> {
  const id = newId();
  await execute(
    sql`INSERT INTO devices (project_id, id, kind) VALUES (${project.id}::uuid, ${id}::uuid, ${kind}::text)`,
  );
  return id;
}

/** The row of an instance as of its admitted create. No worker knows of it. */
export async function instanceRow(project: TestProject, flavor: string, name = 'web'): Promise<string> {
  const id = await deviceRow(project, 'instance');
  await execute(sql`INSERT INTO instances (id, project_id, name, status, flavor_id, image_owner_id, image_id, cell_id, power, hostname,
      created_at, updated_at)
    SELECT ${id}::uuid, ${project.id}::uuid, ${name}::text, 'provisioning', ${flavor}::uuid, owner_id, id, 'test-host', 'running', 'web',
      platform_now(), platform_now() FROM images WHERE id = ${TINY_IMAGE}::uuid`);
  return id;
}

/** Writes a status change as workers do; the first `active` means that a guest has run. */
export async function becomes(
  table: 'instances' | 'volumes' | 'snapshots' | 'images' | 'database_clusters',
  id: string,
  status: string,
) {
  const isLaunched =
    table === 'instances' ? status === 'active' : table === 'database_clusters' && status === 'available';
  const first = raw(isLaunched ? ', launched_at = coalesce(launched_at, platform_now())' : '');
  await execute(
    sql`UPDATE ${raw(table)} SET status = ${status}::text, updated_at = platform_now()${first} WHERE id = ${id}::uuid`,
  );
}

export async function volumeRow(project: TestProject, size_gb: number, name = 'data'): Promise<string> {
  const id = await deviceRow(project, 'volume');
  await execute(sql`INSERT INTO volumes (id, project_id, name, size_gb, status, cell_id, created_at, updated_at) VALUES (${id}::uuid,
    ${project.id}::uuid, ${name}::text, ${size_gb}::int, 'creating', 'test-host', platform_now(), platform_now())`);
  return id;
}

export async function snapshotRow(project: TestProject, volume: string): Promise<string> {
  const id = newId();
  await execute(sql`INSERT INTO snapshots (id, project_id, name, volume_id, size_gb, status, created_at, updated_at)
    SELECT ${id}::uuid, ${project.id}::uuid, 'before', id, size_gb, 'creating', platform_now(), platform_now() FROM volumes WHERE id = ${volume}::uuid`);
  return id;
}

export async function imageRow(project: TestProject, size_bytes: bigint): Promise<string> {
  const id = newId();
  await execute(sql`INSERT INTO images (id, project_id, owner_id, name, format, status, source, size_bytes, min_disk_gb, created_at, updated_at)
    VALUES (${id}::uuid, ${project.id}::uuid, ${project.id}::uuid, 'own', 'RAW', 'importing', ${JSON.stringify(UPLOADED)}::jsonb, ${String(size_bytes)}::bigint, 1,
      platform_now(), platform_now())`);
  return id;
}

/** A cluster of two members that do not run yet. */
export async function clusterRow(project: TestProject, engine: string): Promise<string> {
  const id = await deviceRow(project, 'database_cluster');
  await ensureProjectNetworking(project.id);
  const network = await defaultNetwork(project);
  await execute(sql`INSERT INTO database_clusters (id, project_id, engine, namespace, name, version, network_id, cell_id, status, vcpus, ram_gb,
      storage_gb, instances, sealed_secrets, created_at, updated_at)
    VALUES (${id}::uuid, ${project.id}::uuid, ${engine}::text, 'default', 'orders', '1', ${network}::uuid, 'test-host', 'provisioning', 2, 4, 10, 2, '',
      platform_now(), platform_now())`);
  return id;
}

/** An empty bucket. */
export async function bucketRow(project: TestProject): Promise<string> {
  const id = newId();
  await execute(sql`INSERT INTO buckets (id, project_id, name, acl, created_at, updated_at)
    VALUES (${id}::uuid, ${project.id}::uuid, ${`bucket-${id}`}::text, 'private', platform_now(), platform_now())`);
  return id;
}

/** The bytes that a bucket holds from now on. */
export async function bucketHolds(id: string, bytes: bigint): Promise<void> {
  await execute(sql`UPDATE buckets SET used_bytes = ${String(bytes)}::bigint WHERE id = ${id}::uuid`);
}

export async function removeRow(
  table: 'instances' | 'volumes' | 'snapshots' | 'images' | 'buckets' | 'database_clusters',
  id: string,
): Promise<void> {
  await execute(
    sql`WITH gone AS (DELETE FROM ${raw(table)} WHERE id = ${id}::uuid) DELETE FROM devices WHERE id = ${id}::uuid`,
  );
}
