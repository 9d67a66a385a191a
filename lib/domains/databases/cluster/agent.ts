import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { type Cluster, readClusters } from './clusters';
import { driverOf } from './drivers';
import { ifIdle } from './turns';

const WATCHED = ['available', 'degraded', 'failing_over', 'updating', 'upgrading', 'error'];

/** Watches the clusters of a cell: fail-over, replication, the endpoint, the disk and observed states. */
export function clusterAgent(cell: string): () => Promise<void> {
  const looks = new Map<string, (cluster: Cluster) => Promise<void>>();
  return async () => {
    const clusters = await readClusters(
      sql`c.cell_id = ${cell}::text AND c.status = ANY (${WATCHED}::text[]) AND c.launched_at IS NOT NULL`,
    );
    const known = new Set(clusters.map(({ id }) => id));
    for (const id of looks.keys()) if (!known.has(id)) looks.delete(id);
    await Promise.all(
      clusters.map(async (cluster) => {
        try {
          const look = looks.get(cluster.id) ?? driverOf(cluster).newLook();
          looks.set(cluster.id, look);
          await ifIdle(cluster.id, () => look(cluster));
        } catch (error) {
          log.warn({ err: error, cluster: cluster.id }, 'a database cluster could not be observed');
        }
      }),
    );
  };
}
