import pg from 'pg';
import { archiveCluster } from '../backups/archives';
import type { EngineBackups } from '../backups/engine';
import { bringData, bringLog } from '../backups/recover';
import { openSecrets } from '../secrets';
import { beginBaseBackup, replicationOf } from './backup/base-backup';
import { readAll } from './backup/read-all';
import { ask, connectionOf, forget } from './connections';
import { SUPERUSER } from './settings-file';
import { checkSpec } from './specs';
import { stateOf } from './state';
import { sideOf } from './upgrade/member-side';
import { forgetUpgrade } from './upgrade/procedure';

/** An operation waits for a member that is only slow. */
const PATIENT_MS = 5_000;

export const postgresBackups: EngineBackups = {
  async read(cluster, primary) {
    const client = new pg.Client({ ...connectionOf(cluster, primary), ...replicationOf('database') });
    client.on('error', () => {});
    await client.connect();
    const { stream, done } = beginBaseBackup(client, Number(primary.version));
    return {
      stream,
      done: done.then(({ startSegment }) => ({ start_segment: startSegment })),
      end: () => client.end().catch(() => {}),
    };
  },
  afterwards: (cluster) => archiveCluster(cluster, true),
  async isServing(cluster, primary) {
    const state = await stateOf(cluster, primary, PATIENT_MS);
    return state.isUp && state.isPrimary;
  },
  async send(place, source) {
    await bringData(place, source);
  },
  async recover(cluster, primary, source) {
    const isDone = await bringLog({ cell: cluster.cell_id, id: primary.id }, source, (statement) =>
      ask(cluster, primary, statement, { timeoutMs: PATIENT_MS }),
    );
    if (!isDone) return 'the log to be replayed';
    const { superuser } = openSecrets(cluster.id, cluster.sealed_secrets);
    await ask(cluster, primary, `ALTER ROLE ${SUPERUSER} PASSWORD '${superuser}'`, { timeoutMs: PATIENT_MS });
    // What an upgrade of the former cluster had set up is of no use here.
    await forgetUpgrade(sideOf(cluster, primary));
    forget(primary);
    return null;
  },
  checkSpec,
  check: readAll,
};
