import { join } from 'node:path';
import { engineOf } from '@/lib/engines/engines';
import type { EngineBackups } from '../backups/engine';
import { checkedBy, sendFramed } from '../backups/framed';
import { type Cluster, type Member, servingMembers } from '../cluster/clusters';
import { openSecrets } from '../secrets';
import { ask, forget } from './connections';
import { askForRdb } from './rdb';
import { SOCKET, SUPERUSER } from './settings-file';
import { checkSpec } from './specs';
import { bestStandby, stateOf, statesOf } from './state';

const PATIENT_MS = 5_000;

/** The member that is copied: a standby that has received what the primary had just now, or the primary itself. */
async function giverOf(cluster: Cluster, primary: Member): Promise<Member> {
  const own = await stateOf(cluster, primary, PATIENT_MS);
  if (!own.isUp || !own.isPrimary) return primary;
  const best = bestStandby(await statesOf(cluster, servingMembers(cluster), PATIENT_MS));
  return best && best.offset >= own.offset ? best.member : primary;
}

/** All keys as of one moment, as replicas get them. */
export const valkeyBackups: EngineBackups = {
  async read(cluster, primary) {
    const giver = await giverOf(cluster, primary);
    const path = join(engineOf(cluster.cell_id).services.socketFolder(giver.id), SOCKET);
    const { superuser } = openSecrets(cluster.id, cluster.sealed_secrets);
    const { stream, socket } = askForRdb(path, SUPERUSER, superuser);
    const done = new Promise<{ start_segment: null }>((resolve, reject) => {
      stream.on('end', () => resolve({ start_segment: null }));
      stream.on('error', reject);
    });
    return { stream, done, end: async () => void socket.destroy() };
  },
  async afterwards() {},
  async isServing(cluster, primary) {
    const state = await stateOf(cluster, primary, PATIENT_MS);
    return state.isUp && state.isPrimary;
  },
  send: sendFramed,
  async recover(cluster, primary) {
    // Refused while the server loads its file.
    await ask(cluster, primary, ['PING'], PATIENT_MS);
    forget(primary);
    return null;
  },
  checkSpec,
  check: checkedBy,
};
