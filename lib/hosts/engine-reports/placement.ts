import { ApiError } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { withoutHostPaths } from '@/lib/engines/error';

/** A host whose worker has been silent for longer takes on nothing new. */
const SILENT_MINUTES = 5;

/** The host that a project's machines live on, or why there is none for them now. */
export type Placement = { host_id: string; refusal: null } | { host_id: string | null; refusal: ApiError };

type Found = { host_id: string; silent: boolean; problem: string | null };

/** What something new takes of a host. */
export type Needs = { vcpus: number; memory_mb: number; disk_gb: number; gpu_slices: number };

const nothing: Needs = { vcpus: 0, memory_mb: 0, disk_gb: 0, gpu_slices: 0 };

/** Whether a host `h` can bear this besides all it has promised, as a boolean in SQL. */
export function fits(needs: Needs): Sql {
  return sql`(h.vcpus_reserved + ${needs.vcpus}::int <= h.vcpus_usable
    AND h.memory_mb_reserved + ${needs.memory_mb}::int + h.memory_mb_overhead <= h.memory_mb_usable
    AND h.disk_gb_reserved + ${needs.disk_gb}::int <= h.disk_gb_usable
    AND h.gpu_slices_reserved + ${needs.gpu_slices}::int <= h.gpu_slices_usable)`;
}

/**
 * Where something new of the project goes: to the host of its router, or, for the first thing of a project, to one that
 * has room for it, and of those to the one with the most memory left. `engines` must be available there.
 */
export async function place(projectId: string, engines: readonly string[], needs = nothing): Promise<Placement> {
  const found = await queryOne<Found>(sql`
    SELECT h.id AS host_id, h.seen_at < platform_now() - ${SILENT_MINUTES}::int * interval '1 minute' AS silent, e.problem
    FROM routers r JOIN hosts h ON h.id = coalesce(r.host_id, h.id)
    LEFT JOIN LATERAL (
      SELECT e.message AS problem FROM engine_reports e
      WHERE e.host_id = h.id AND e.status = 'unavailable' AND e.engine = ANY (${engines}::text[]) ORDER BY e.engine LIMIT 1
    ) AS e ON true
    WHERE r.project_id = ${projectId}::uuid
    ORDER BY e.problem IS NOT NULL, 2, ${fits(needs)} DESC, h.memory_mb_usable - h.memory_mb_reserved DESC LIMIT 1`);
  if (!found) return refuse(null, await whyNoHost(engines));
  const { host_id, silent, problem } = found;
  if (problem !== null) return refuse(host_id, problem);
  if (silent)
    return refuse(host_id, `The worker of host ${host_id} has not reported for more than ${SILENT_MINUTES} minutes.`);
  return { host_id, refusal: null };
}

/** A host that cannot take part says why in its report. */
async function whyNoHost(engines: readonly string[]): Promise<string> {
  const report = await queryOne<{ message: string }>(sql`
    SELECT message FROM engine_reports WHERE status = 'unavailable' AND engine = ANY (${engines}::text[])
    ORDER BY updated_at DESC LIMIT 1`);
  return (
    report?.message ??
    'No host has reported to this platform yet. Check that a worker is running, and try again in a moment.'
  );
}

function refuse(host_id: string | null, message: string): Placement {
  return { host_id, refusal: new ApiError('ENGINE_UNAVAILABLE', withoutHostPaths(message)) };
}
