import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, noSuch } from '@/lib/core/api/errors';
import type { Prisma } from '@/lib/core/db/generated/client';
import { hintInsert } from '@/lib/core/db/hint';
import { isId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, type Sql, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { instancesAmong, joinOwnInstance } from '@/lib/domains/compute/fragments';
import { attachKind, detachKind } from './operations';
import type { Volume } from './schema';
import { readVolumeRow, viewVolume } from './volume-view';

/** As many as a guest may have. */
const MOST_ATTACHED = 16;

type InstanceFacts = { id: string; name: string; attached: number };

async function requireInstance(call: ProjectCall, id: string): Promise<InstanceFacts> {
  const found = isId(id)
    ? await queryOne<InstanceFacts>(sql`
        SELECT i.id, i.name, (SELECT count(*)::int FROM volume_attachments a WHERE a.instance_id = i.id) AS attached
        FROM ${instancesAmong(call.project_id, [id])}`)
    : undefined;
  if (!found) throw noSuch('instance_id', 'instance');
  return found;
}

/** Pages that show the instance refetch it too. */
export function instanceHint(projectId: string | null, instanceId: string): Sql {
  return hintInsert({ project_id: projectId, topic: 'instance', resource_id: instanceId }, ifAdmitted);
}

/**
 * Attaches an available volume to an instance of the project, which runs or is stopped.
 * @throws ApiError 404, 409 that says what stands in the way
 */
export async function attachVolume(call: ProjectCall, id: string, instanceId: string): Promise<Volume> {
  const row = await readVolumeRow(call, id);
  const instance = await requireInstance(call, instanceId);
  if (instance.attached >= MOST_ATTACHED) {
    throw conflict(`instance_id: instance ${instance.name} has ${instance.attached} volumes attached, the maximum.`);
  }
  const attachment = { instance_id: instance.id, instance_name: instance.name, attached_at: call.at.toISOString() };
  const changed = viewVolume({
    ...row,
    status: 'attaching',
    status_reason: null,
    attachments: [attachment],
    updated_at: call.at,
  });
  await commit(call, {
    resource: { type: 'volume', id, name: row.name },
    target: sql`SELECT v.status = 'available' AND i.status IN ('active', 'stopped') AND i.task IS NULL AND i.cell_id = v.cell_id
          AS allowed,
        CASE WHEN v.status <> 'available' THEN 'Volume ' || v.name || ' is ' || v.status || '; only an available one can be attached.'
          WHEN i.cell_id <> v.cell_id THEN 'Instance ' || i.name || ' lives on another host than the volume.'
          ELSE 'Instance ' || i.name || ' is ' || coalesce(i.task, i.status) || '; volumes are attached when it is active or stopped.'
        END AS state
      FROM k ${joinOwnInstance(instance.id)}
      JOIN volumes v ON v.project_id = k.project_id AND v.id = ${id}::uuid FOR UPDATE OF i, v`,
    forbidden: (sentence) => sentence,
    rows: {
      attachment: insert<Prisma.VolumeAttachmentUncheckedCreateInput>(
        'volume_attachments',
        { volume_id: id, project_id: call.project_id, instance_id: instance.id, created_at: call.at },
        ifAdmitted,
      ),
      volume: sql`UPDATE volumes SET status = 'attaching', status_reason = NULL, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND volumes.id = ${id}::uuid`,
      instance: instanceHint(call.project_id, instance.id),
    },
    operation: attachKind.start(id, { instance_id: instance.id }, { cell_id: row.cell_id }),
    details: { instance_id: instance.id, instance: instance.name },
    answer: { status: 202, body: changed },
  });
  return changed;
}

/** Takes a volume out of its instance. @throws ApiError 404, 409 when it is in none, or something is under way */
export async function detachVolume(call: ProjectCall, id: string): Promise<Volume> {
  const row = await readVolumeRow(call, id);
  const [attachment] = row.attachments;
  if (!attachment) throw conflict(`Volume ${row.name} is not attached.`);
  const { instance_id, instance_name } = attachment;
  const changed = viewVolume({ ...row, status: 'detaching', status_reason: null, updated_at: call.at });
  await commit(call, {
    resource: { type: 'volume', id, name: row.name },
    target: sql`SELECT v.status = 'in_use' AND i.status IN ('active', 'stopped', 'paused', 'error') AND i.task IS NULL AS allowed,
        CASE WHEN v.status <> 'in_use' THEN 'Volume ' || v.name || ' is ' || v.status || '; it can be detached when it is in_use.'
          ELSE 'Instance ' || i.name || ' is ' || coalesce(i.task, i.status) || '; wait until that is done.' END AS state
      FROM k ${joinOwnInstance(instance_id)}
      JOIN volumes v ON v.project_id = k.project_id AND v.id = ${id}::uuid FOR UPDATE OF i, v`,
    forbidden: (sentence) => sentence,
    rows: {
      volume: sql`UPDATE volumes SET status = 'detaching', status_reason = NULL, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND volumes.id = ${id}::uuid`,
      instance: instanceHint(call.project_id, instance_id),
    },
    operation: detachKind.start(id, { instance_id }, { cell_id: row.cell_id }),
    details: { instance_id, instance: instance_name },
    answer: { status: 202, body: changed },
  });
  return changed;
}
