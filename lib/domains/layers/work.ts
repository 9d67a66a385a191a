import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { now } from '@/lib/clock';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { type DomainWork, none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import { removeContent } from './build';
import { knownBuilder } from './builder';
import { layersFolder } from './content';
import type { LayerRuntime } from './requirements';
import { layerSteps } from './steps';

/** Builders at work: their operations look after them. */
const builders: ServiceSource = {
  stopOrder: 0,
  async wantedServices(cell) {
    const rows = await query<{ id: string; runtime: LayerRuntime; requirements: string[] }>(sql`
      SELECT id, runtime, requirements FROM layer_versions
      WHERE cell_id = ${cell}::text AND status = 'building' AND source = 'requirements'`);
    return rows.map((order) => ({ spec: knownBuilder(order), isBusy: true }));
  },
};

/**
 * Removes versions of a cell that were deleted an hour ago and that no function uses, with their content on its disk.
 * Those with the content of another go first.
 */
export async function removeDeletedVersions(cell: string): Promise<void> {
  const rows = await query<{ id: string }>(sql`SELECT v.id FROM layer_versions v
    WHERE v.cell_id = ${cell}::text AND v.deleted_at < (SELECT platform_now()) - interval '1 hour'
      AND NOT EXISTS (SELECT FROM layer_uses u WHERE u.version_id = v.id)
      AND NOT EXISTS (SELECT FROM layer_versions other WHERE other.same_as = v.id)
    ORDER BY v.id LIMIT 500`);
  for (const { id } of rows) {
    const gone = await execute(sql`DELETE FROM layer_versions v WHERE v.id = ${id}::uuid
      AND NOT EXISTS (SELECT FROM layer_uses u WHERE u.version_id = v.id)`);
    if (gone > 0) await removeContent(id);
  }
}

/** Removes files of this host that a crash left: those of no version. */
export async function removeLeftFiles(): Promise<void> {
  for (const name of ['versions', 'incoming']) {
    const folder = join(layersFolder(), name);
    const files = await readdir(folder).catch(() => []);
    const ids = [...new Set(files.flatMap((file) => /^[0-9a-f-]{36}/.exec(file)?.[0] ?? []))];
    const known = await query<{ id: string }>(
      sql`SELECT id FROM layer_versions WHERE id = ANY (${ids}::uuid[]) AND CASE ${name}::text
        WHEN 'versions' THEN same_as IS NULL AND status <> 'error' ELSE status = 'building' END`,
    );
    const kept = new Set(known.map(({ id }) => id));
    for (const file of files) {
      const id = file.slice(0, 36);
      if (ids.includes(id) && !kept.has(id) && isOld(id))
        await rm(join(folder, file), { recursive: true, force: true });
    }
  }
}

const DAY_MS = 24 * 60 * 60_000;

/** An upload under way has no row yet. Ids begin with the time when they were made (RFC 9562, 5.7). */
const isOld = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) < now().getTime() - DAY_MS;

const watch = (cell: string): Watch => ({
  join: none,
  looks: [
    {
      name: 'removing deleted layer versions',
      every_ms: 10 * 60_000,
      begin: () => ({ look: () => removeDeletedVersions(cell) }),
    },
    { name: 'removing left files of layers', every_ms: 60 * 60_000, begin: () => ({ look: removeLeftFiles }) },
  ],
  changed: none,
  troubles: none,
  stop: none,
});

export const layersWork: DomainWork = {
  steps: layerSteps,
  jobs: none,
  services: builders,
  room: raw(
    "SELECT cell_id, id AS device_id, 'memory_mb' AS kind, held_mb AS amount FROM layer_versions WHERE status = 'building'",
  ),
  watch,
};
