import type { ServiceSpec } from '@/lib/hosts/services/engine';
import type { CheckedBackup, EngineBackups } from '../backups/engine';
import { checkedBy, readFramed, sendFramed } from '../backups/framed';
import { MemberError } from '../cluster/member-error';
import { failureOf } from './state';

const PATIENT_MS = 5_000;

/** Backups of an engine whose member gives and takes its data in frames. */
export const singleBackups = (checkSpec: (backup: CheckedBackup) => ServiceSpec): EngineBackups => ({
  read: (cluster, primary) => readFramed({ cell: cluster.cell_id, id: primary.id }),
  async afterwards() {},
  isServing: async (cluster, primary) => (await failureOf(cluster, primary, PATIENT_MS)) === null,
  send: sendFramed,
  async recover(cluster, primary) {
    const failure = await failureOf(cluster, primary, PATIENT_MS);
    if (failure !== null) throw new MemberError(failure, undefined);
    return null;
  },
  checkSpec,
  check: checkedBy,
});
