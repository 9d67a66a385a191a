import { ApiError } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { routers } from '@/lib/domains/network/fragments';
import { withoutHostPaths } from '@/lib/engines/error';

/** A cell whose worker has been silent for longer than this takes on nothing new. */
const SILENT_MINUTES = 5;

/** The cell of a project's machines, or why there is none at present. */
export type Placement = { cell_id: string; refusal: null } | { cell_id: string | null; refusal: ApiError };

type Found = { cell_id: string; silent: boolean; problem: string | null };

/** The room that a new resource takes in a cell, without the memory overhead of each guest. */
export type Room = { vcpus: number; memory_mb: number; disk_gb: number; gpu_slices: number };

const nothing: Room = { vcpus: 0, memory_mb: 0, disk_gb: 0, gpu_slices: 0 };

/** An SQL boolean: whether a cell `c` has room for this in addition to its reservations. */
function fits(needs: Room): Sql {
  return sql`(c.vcpus_reserved + ${needs.vcpus}::int <= c.vcpus_usable
    AND c.memory_mb_reserved + ${needs.memory_mb}::int + c.memory_mb_overhead <= c.memory_mb_usable
    AND c.disk_gb_reserved + ${needs.disk_gb}::int <= c.disk_gb_usable
    AND c.gpu_slices_reserved + ${needs.gpu_slices}::int <= c.gpu_slices_usable)`;
}

/**
 * The cell for a new resource: the one of the project's router, or, for a project's first resource, the cell with room
 * for it and the most free memory. `engines` must be available there.
 */
export async function place(projectId: string, engines: readonly string[], needs = nothing): Promise<Placement> {
  const found = await queryOne<Found>(sql`
    SELECT c.id AS cell_id, c.seen_at < platform_now() - ${SILENT_MINUTES}::int * interval '1 minute' AS silent, e.problem
    FROM ${routers} JOIN cells c ON c.id = coalesce(r.cell_id, c.id)
    LEFT JOIN LATERAL (
      SELECT e.message AS problem FROM engine_reports e
      WHERE e.cell_id = c.id AND e.status = 'unavailable' AND e.engine = ANY (${engines}::text[]) ORDER BY e.engine LIMIT 1
    ) AS e ON true
    WHERE r.project_id = ${projectId}::uuid
    ORDER BY e.problem IS NOT NULL, 2, ${fits(needs)} DESC, c.memory_mb_usable - c.memory_mb_reserved DESC LIMIT 1`);
  if (!found) return refuse(null, await whyNoCell(engines));
  const { cell_id, silent, problem } = found;
  if (problem !== null) return refuse(cell_id, problem);
  if (silent)
    return refuse(cell_id, `The worker of host ${cell_id} has not reported for more than ${SILENT_MINUTES} minutes.`);
  return { cell_id, refusal: null };
}

/** The reason from the reports of cells that cannot take part. */
async function whyNoCell(engines: readonly string[]): Promise<string> {
  const report = await queryOne<{ message: string }>(sql`
    SELECT message FROM engine_reports WHERE status = 'unavailable' AND engine = ANY (${engines}::text[])
    ORDER BY updated_at DESC LIMIT 1`);
  return (
    report?.message ??
    'No host has reported to this platform yet. Check that a worker is running, and try again in a moment.'
  );
}

function refuse(cell_id: string | null, message: string): Placement {
  return { cell_id, refusal: new ApiError('ENGINE_UNAVAILABLE', withoutHostPaths(message)) };
}
