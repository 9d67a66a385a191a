import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { listedTypes, readInventory } from '@/lib/inventory/service';
import { domains } from '@/lib/platform/domains';
import { endpoints } from '@/lib/platform/endpoints';
import { ownCell } from '@/lib/settings';
import { createCell } from '@/lib/testing/hosts';
import { printRatio } from './ratio';

const RESOURCES = 100_000;
const PAGE = 50;
const RUNS = 101;

/** Measures pages of the inventory of one project with resources of four types, all tagged, a quarter of them billed. */
export async function measureInventory(): Promise<void> {
  const project = await fill();
  const ids = await query<{ id: string }>(sql`
    SELECT id FROM (SELECT id FROM secrets UNION ALL SELECT id FROM key_pairs UNION ALL SELECT id FROM security_groups
      UNION ALL SELECT id FROM images WHERE project_id IS NOT NULL) AS every ORDER BY id DESC`);
  const types = listedTypes({ domains, endpoints });
  const pageFrom = (place: number, filters = {}) =>
    median(() => readInventory(project, types, filters, { limit: PAGE, cursor: ids[place]?.id }));
  const first = await pageFrom(-1);
  const last = await pageFrom(ids.length - PAGE - 1);
  const middle = await pageFrom(Math.floor(ids.length / 2));
  const figures = [first, middle, last].map((ms) => `${ms.toFixed(1)} ms`);
  printRatio(`Last to first page of ${ids.length.toLocaleString('en')} resources`, last / first, figures.join(', '), {
    text: 'every page ≤ 10 ms',
    met: Math.max(first, middle, last) <= 10,
  });
  const tagged = await pageFrom(-1, { tag: ['team=7'] });
  printRatio('A page by tag to the first page', tagged / first, `${tagged.toFixed(1)} ms`);
  const none = await pageFrom(-1, { status: 'error' });
  printRatio('A status that no resource has to the first page', none / first, `${none.toFixed(1)} ms`, {
    text: '≤ 10 ms',
    met: none <= 10,
  });
}

/** @returns the id of the project */
async function fill(): Promise<string> {
  const project = newId();
  const at = now();
  await execute(sql`INSERT INTO projects (id, name, slug, created_at, updated_at)
    VALUES (${project}::uuid, 'inventory', 'inventory', ${at}::timestamptz, ${at}::timestamptz)`);
  await createCell(ownCell());
  const count = RESOURCES / 4;
  const common = sql`gen_random_uuid(), ${project}::uuid, 'name-' || md5(n::text)`;
  const times = sql`${at}::timestamptz, ${at}::timestamptz FROM generate_series(1, ${count}::int) AS n`;
  await execute(sql`INSERT INTO secrets (id, project_id, name, type, payload_encoding, ciphertext, sealed_data_key, size_bytes, created_at, updated_at)
    SELECT ${common}, 'opaque', 'utf8', '', '', 1, ${times}`);
  await execute(sql`INSERT INTO key_pairs (id, project_id, name, type, public_key, fingerprint, created_at, updated_at)
    SELECT ${common}, 'ssh-ed25519', '', '', ${times}`);
  await execute(
    sql`INSERT INTO security_groups (id, project_id, name, created_at, updated_at) SELECT ${common}, ${times}`,
  );
  await execute(sql`INSERT INTO images (id, project_id, name, owner_id, format, status, source, size_bytes, min_disk_gb, created_at, updated_at)
    SELECT ${common}, ${project}::uuid, 'RAW', 'active', jsonb_build_object('kind', 'upload', 'cell_id', ${ownCell()}::text), 1073741824, 1, ${times}`);
  for (const [type, table] of [
    ['secret', 'secrets'],
    ['key_pair', 'key_pairs'],
    ['security_group', 'security_groups'],
    ['image', 'images'],
  ] as const) {
    await execute(sql`INSERT INTO audit_entries (id, project_id, at, actor_type, actor_name, action, resource_type, resource_id, result, status)
      SELECT gen_random_uuid(), ${project}::uuid, ${at}::timestamptz, 'token', 'ci', ${type}::text || '.create', ${type}::text, id::text, 'succeeded', 201
      FROM ${raw(table)} WHERE project_id = ${project}::uuid`);
    await execute(sql`INSERT INTO resource_tags (project_id, resource_id, key, value)
      SELECT ${project}::uuid, id, 'team', (row_number() OVER () % 100)::text FROM ${raw(table)} WHERE project_id = ${project}::uuid`);
  }
  await execute(raw('ANALYZE'));
  return project;
}

/** The median duration in milliseconds. */
export async function median(run: () => Promise<unknown>, runs = RUNS): Promise<number> {
  const durations: number[] = [];
  for (let turn = 0; turn < runs; turn++) {
    const start = performance.now();
    await run();
    durations.push(performance.now() - start);
  }
  return durations.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
}
