import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { type DomainWork, none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import { checkSteps } from './backups/check';
import type { CheckedBackup } from './backups/engine';
import { restoreSteps } from './backups/restore-steps';
import { backupLooks, backupSteps } from './backups/work';
import { clusterAgent } from './cluster/agent';
import { readClusters } from './cluster/clusters';
import { driverOf, forgetAll } from './cluster/drivers';
import { endpointSpec } from './cluster/specs';
import { clusterSteps } from './cluster/steps';
import type { DatabaseEngine } from './engines';
import { upgradeOperationSteps } from './jobs/steps';
import { wayBackLook } from './jobs/way-back';
import { ENDPOINT_MEMORY_MB } from './plan';

/** A dead primary is replaced within a second: this pause, its end, and the promotion of its successor. */
const OBSERVE_MS = 150;

/** Operations that start and stop members in an order of their own. */
const BUSY = ['provisioning', 'updating', 'upgrading', 'restoring', 'deleting'];

/** Members and endpoints of a cell. */
export const databaseServices: ServiceSource = {
  stopOrder: 10,
  parts: sql`SELECT m.id, m.cluster_id AS device_id, jsonb_build_object('member', c.name || '-' || m.ordinal) AS labels
    FROM database_members m JOIN database_clusters c ON c.id = m.cluster_id`,
  async wantedServices(cell) {
    const clusters = await readClusters(sql`c.cell_id = ${cell}::text`);
    const wanted = await Promise.all(
      clusters.map(async (cluster) => {
        const members = await Promise.all(
          cluster.members.map((member) => driverOf(cluster).memberSpec(cluster, member)),
        );
        const isBusy = BUSY.includes(cluster.status);
        return [...members, await endpointSpec(cluster)].map((spec) => ({ spec, isBusy }));
      }),
    );
    const checks = await query<CheckedBackup & { engine: DatabaseEngine }>(
      sql`SELECT id, engine, version, storage_gb, ram_gb::float8 AS ram_gb FROM database_backups WHERE cell_id = ${cell}::text AND checking`,
    );
    return [
      ...wanted.flat(),
      ...checks.flatMap((backup) => {
        const spec = driverOf(backup).backups?.checkSpec(backup);
        return spec ? [{ spec, isBusy: true }] : [];
      }),
    ];
  },
};

/** What members and endpoints should hold in their cells. */
const room =
  raw(`SELECT c.cell_id, c.id AS device_id, 'memory_mb' AS kind, ${ENDPOINT_MEMORY_MB} AS amount FROM database_clusters c
  UNION ALL SELECT c.cell_id, m.id, part.kind, part.amount FROM database_members m JOIN database_clusters c ON c.id = m.cluster_id
    CROSS JOIN LATERAL (VALUES ('vcpus', c.vcpus), ('memory_mb', ceil(c.ram_gb * 1024)::int), ('disk_gb', c.storage_gb)) AS part (kind, amount)`);

const watch = (cell: string): Watch => ({
  join: none,
  looks: [
    {
      name: 'observing the database clusters',
      every_ms: OBSERVE_MS,
      begin: () => ({ look: clusterAgent(cell), end: forgetAll }),
    },
    ...backupLooks(cell),
    wayBackLook(cell),
  ],
  changed: none,
  troubles: none,
  // Members that are stopped with the platform are not billed; the first look after the next start counts them again.
  stop: {
    stage: 'services',
    grace_s: 0,
    run: async () => {
      await execute(sql`UPDATE database_clusters SET running = 0 WHERE cell_id = ${cell}::text AND running > 0`);
    },
  },
});

export const databasesWork: DomainWork = {
  steps: [...clusterSteps, ...restoreSteps, ...upgradeOperationSteps, ...backupSteps, ...checkSteps],
  jobs: none,
  services: databaseServices,
  room,
  watch,
};
