import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { forgetSettings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork } from '@/lib/testing/machines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import type { BackupLocation } from '../schema';

testDatabase();
const call = api();
let acme: TestProject;
const outside = {
  S3_ENGINE: 'external',
  S3_EXTERNAL_URL: 'http://127.0.0.1:1',
  S3_ADMIN_ACCESS_KEY: 'operator',
  S3_ADMIN_SECRET_KEY: 'secret',
};
const set = (variables: object) => {
  Object.assign(process.env, variables);
  forgetSettings();
};
beforeEach(async () => {
  await createCell();
  acme = await createProject('acme');
  await defaultNetwork(acme);
});
afterEach(() => set({ S3_ENGINE: 'local' }));

/** A backup of a cluster on a host that is gone. */
async function backup(location: BackupLocation): Promise<string> {
  const id = newId();
  const cell = await createCell('gone-host');
  await execute(sql`UPDATE cells SET seen_at = platform_now() - interval '1 day' WHERE id = ${cell}::text`);
  await execute(sql`INSERT INTO database_backups (id, project_id, cluster_id, cell_id, engine, namespace, name, version, storage_gb, kind, status, location,
      size_bytes, finished_at, expires_at, created_at, updated_at)
    VALUES (${id}::uuid, ${acme.id}::uuid, ${newId()}::uuid, ${cell}::text, 'valkey', 'default', 'gone', '9.1', 1, 'automatic', 'available', ${location}::text,
      1, platform_now(), platform_now() + interval '7 days', platform_now(), platform_now())`);
  return id;
}

const restore = (backup_id: string) =>
  call('POST', '/dbaas/valkey', {
    token: acme.users.member.token,
    body: { name: 'again', vcpus: 1, ram_gb: 1, storage_gb: 1, restore: { backup_id } },
  });

test('a backup on a host that is gone cannot be restored, one in object storage can, on another host', async () => {
  set(outside);
  const lost = await restore(await backup('host'));
  expect([lost.status, lost.text]).toEqual([409, expect.stringContaining('on another host')]);
  const kept = await restore(await backup('object_storage'));
  expect([kept.status, kept.body]).toMatchObject([201, { status: 'restoring' }]);
  expect(await queryRow(sql`SELECT cell_id FROM database_clusters WHERE name = 'again'`)).toEqual({
    cell_id: 'test-host',
  });
});

test('a restore from object storage that is not configured names the missing setting, and the backup stays', async () => {
  const id = await backup('object_storage');
  const refused = await restore(id);
  expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('S3_ENGINE=external')]);
  const { body } = await call('GET', '/dbaas/backups', { token: acme.users.member.token });
  expect(body).toEqual([expect.objectContaining({ id, location: 'object_storage' })]);
});
