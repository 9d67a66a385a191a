import { expect, test } from 'vitest';
import { migrate } from '@/lib/core/db/migrate';
import { databaseAsOf } from '@/lib/testing/database';

const id = (n: number) => `01940000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const PROJECT = id(1);
const SECRET = id(2);
const NETWORK = id(3);

test('existing resources can be tagged, and lose their tags when they are deleted', async () => {
  const { url, client } = await databaseAsOf('20261123002725_notify_of_dropped_lines');
  await client.query(`
    INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES ('${PROJECT}', 'acme', 'acme', now(), now());
    INSERT INTO project_accounts (project_id) VALUES ('${PROJECT}');
    INSERT INTO secrets (id, project_id, name, type, payload_encoding, ciphertext, sealed_data_key, size_bytes, created_at, updated_at)
      VALUES ('${SECRET}', '${PROJECT}', 'token', 'opaque', 'utf8', '', '', 1, now(), now());
    INSERT INTO routers (id, project_id, name, created_at, updated_at) VALUES ('${id(4)}', '${PROJECT}', 'default', now(), now());
    INSERT INTO networks (id, project_id, router_id, name, created_at, updated_at)
      VALUES ('${NETWORK}', '${PROJECT}', '${id(4)}', 'default', now(), now());`);
  await migrate(url);
  for (const resource of [SECRET, NETWORK]) {
    await client.query(
      `INSERT INTO resource_tags (project_id, resource_id, key, value) VALUES ('${PROJECT}', '${resource}', 'env', 'test')`,
    );
  }
  const tagged = async () => (await client.query('SELECT resource_id AS id FROM resource_tags ORDER BY 1')).rows;
  expect(await tagged()).toEqual([{ id: SECRET }, { id: NETWORK }]);
  await client.query(`DELETE FROM networks WHERE id = '${NETWORK}'`);
  expect(await tagged()).toEqual([{ id: SECRET }]);
  await client.query(`DELETE FROM secrets WHERE id = '${SECRET}'`);
  expect(await tagged()).toEqual([]);
});
