import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { writeRepair } from '@/lib/core/operations/repair';
import { changeRow, rowInError } from '@/lib/core/resources/rows';
import { handleStrays } from '@/lib/core/resources/strays';
import { joinInstance, runsUndisturbed } from '@/lib/domains/compute/fragments';
import { engineOf } from '@/lib/engines/engines';
import { reasonOf } from '@/lib/engines/error';
import { log } from '@/lib/log';
import type { StorageEngine } from './engine';

/** No operation is under way for it: one that is puts it right itself. */
const idle = sql`NOT EXISTS (SELECT FROM operations o WHERE o.resource_id = row.id AND o.status IN ('pending', 'running'))`;

type Known = { id: string; project_id: string; kind: 'volume' | 'snapshot' };

/**
 * Compares the volumes and snapshots of a cell with the database, in both directions. Data that the host has lost puts
 * its row into error; data that a deletion left behind is removed. A running guest gets the attached volumes that it
 * lacks, and loses those that are not attached to it.
 */
export async function observeStorage(cell: string): Promise<void> {
  // Rows first: what is made and what is removed meanwhile is then seen as it was, and looked at again below.
  const rows = await query<Known>(sql`
    SELECT id, project_id, 'volume' AS kind FROM volumes row WHERE cell_id = ${cell}::text AND status IN ('available', 'in_use') AND ${idle}
    UNION ALL
    SELECT row.id, row.project_id, 'snapshot' FROM snapshots row JOIN volumes v ON v.id = row.volume_id
    WHERE v.cell_id = ${cell}::text AND row.status = 'available' AND ${idle}`);
  const { storage } = engineOf(cell);
  const { volumes, snapshots } = await storage.observeStorage();
  const seen = new Set([...volumes, ...snapshots].map(({ id }) => id));
  for (const row of rows) if (!seen.has(row.id)) await noteLost(row);
  await handleStrays(
    { cell, type: 'volume', table: 'volumes' },
    volumes.map(({ id }) => id),
    { remove: (id) => storage.removeVolume(id) },
  );
  await handleStrays(
    { cell, type: 'snapshot', table: 'snapshots' },
    snapshots.map(({ id }) => id),
    { remove: (id) => storage.removeSnapshot(id) },
  );
  for (const { id, attachedTo } of volumes) if (attachedTo !== null) await letGo(storage, id, attachedTo);
  await plugMissing(storage, new Map(volumes.map(({ id, attachedTo }) => [id, attachedTo])));
}

async function noteLost({ id, kind, project_id }: Known): Promise<void> {
  const reason = 'The data is no longer on the host. Delete this resource.';
  const table = kind === 'volume' ? 'volumes' : 'snapshots';
  const noted = await writeRepair({
    resource: { type: kind, id },
    project_id,
    unchanged: sql`FROM k JOIN ${raw(table)} row ON row.project_id = k.project_id
      WHERE row.id = ${id}::uuid AND row.status IN ('available', 'in_use') AND ${idle} FOR UPDATE OF row`,
    change: rowInError(table, id, reason),
  });
  if (noted) log.error({ resource: id }, 'a volume or snapshot has lost its data');
}

/** Takes a volume that is attached to no instance out of the guest that holds it. */
async function letGo(storage: StorageEngine, volumeId: string, instanceId: string): Promise<void> {
  const stray = await query(sql`
    SELECT FROM volumes row WHERE row.id = ${volumeId}::uuid AND row.status = 'available' AND ${idle}
      AND NOT EXISTS (SELECT FROM operations o WHERE o.resource_id = ${instanceId}::uuid AND o.status IN ('pending', 'running'))`);
  if (stray.length === 0) return;
  const facts = { volume: volumeId, instance: instanceId };
  log.warn(facts, 'a guest holds a volume that is not attached to it');
  try {
    await storage.detachVolume(volumeId, instanceId);
  } catch (error) {
    // The next look tries again.
    log.warn({ ...facts, err: error }, 'a guest did not release a volume that is not attached to it');
  }
}

const MISSING = 'The running instance does not have this volume';

/** Plugs attached volumes into running guests that lack them. @param holders who has each volume, by what guests say */
async function plugMissing(storage: StorageEngine, holders: ReadonlyMap<string, string | null>): Promise<void> {
  const missing = await query<{ id: string; project_id: string; instance_id: string }>(sql`
    SELECT row.id, row.project_id, a.instance_id FROM unnest(${[...holders.keys()]}::uuid[], ${[...holders.values()]}::uuid[]) AS seen (id, holder)
    JOIN volumes row ON row.id = seen.id AND row.status = 'in_use' AND ${idle}
    JOIN volume_attachments a ON a.volume_id = row.id AND a.instance_id IS DISTINCT FROM seen.holder
    ${joinInstance('a.instance_id')} AND ${runsUndisturbed}`);
  for (const { id, project_id, instance_id } of missing) {
    const facts = { volume: id, instance: instance_id };
    const holder = holders.get(id);
    try {
      // The next look continues changes that have not settled.
      if (holder && !(await storage.detachVolume(id, holder)).settled) continue;
      if (!(await storage.attachVolume(id, instance_id)).settled) continue;
      log.warn(facts, 'a running guest lacked an attached volume and has it again');
      await noteMissing(id, project_id, null);
    } catch (error) {
      log.warn({ ...facts, err: error }, 'a running guest lacks an attached volume');
      await noteMissing(id, project_id, `${MISSING}: ${reasonOf(error)}`);
    }
  }
}

/** Shows why a guest lacks a volume, or that it no longer does; other reasons stay. */
async function noteMissing(id: string, project_id: string, reason: string | null): Promise<void> {
  await writeRepair({
    resource: { type: 'volume', id },
    project_id,
    unchanged: sql`FROM k JOIN volumes row ON row.project_id = k.project_id
      WHERE row.id = ${id}::uuid AND row.status = 'in_use' AND row.status_reason IS DISTINCT FROM ${reason}::text
        AND (${reason}::text IS NOT NULL OR starts_with(row.status_reason, ${MISSING}::text)) FOR UPDATE OF row`,
    change: changeRow('volumes', id, sql`status_reason = ${reason}::text`),
  });
}
