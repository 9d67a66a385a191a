import { join } from 'node:path';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { engineOf } from '@/lib/engines/engines';
import type { EngineBackups, Place } from '../backups/engine';
import { readFramed, sendFramed } from '../backups/framed';
import { type Cluster, type Member, servingMembers } from '../cluster/clusters';
import { SERVER_SOCKET } from './settings-file';
import { checkSpec } from './specs';
import { bestSuccessor, isServing, stateOf, statesOf } from './state';

const PATIENT_MS = 5_000;

/** The member that is copied: another one than clients write to, where it has applied all that the primary has. */
async function giverOf(cluster: Cluster, primary: Member): Promise<Member> {
  const own = await stateOf(cluster, primary, PATIENT_MS);
  const seen = await statesOf(cluster, servingMembers(cluster), PATIENT_MS);
  const other = bestSuccessor(seen);
  const found = seen.find(({ member }) => member === other);
  const hasAll = own.isUp && found?.state.isUp && found.state.committed >= own.committed;
  return other && hasAll ? other : primary;
}

/** Reads every table with its indexes. */
async function check({ cell, id }: Place): Promise<string | null> {
  const socketPath = join(engineOf(cell).services.socketFolder(id), SERVER_SOCKET);
  const connection = await mysql.createConnection({ socketPath, connectTimeout: PATIENT_MS }).catch(() => null);
  if (!connection) return null;
  connection.on('error', () => {});
  try {
    const [tables] = await connection.query<(RowDataPacket & { place: string; name: string })[]>(
      `SELECT table_schema AS place, table_name AS name FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND engine = 'InnoDB' ORDER BY 1, 2`,
    );
    for (const { place, name } of tables) {
      const [rows] = await connection.query<RowDataPacket[]>('CHECK TABLE ??.??', [place, name]);
      const bad = rows.find(
        ({ Msg_type, Msg_text }) => Msg_type === 'error' || (Msg_type === 'status' && Msg_text !== 'OK'),
      );
      if (bad) throw new Error(`A table of the backup is damaged: ${String(bad.Msg_text).slice(0, 100)}`);
    }
    return `${tables.length} tables`;
  } finally {
    connection.destroy();
  }
}

/** Copies of the running server by mariadb-backup, in the member's own sandbox. */
export const mariadbBackups: EngineBackups = {
  async read(cluster, primary) {
    return readFramed({ cell: cluster.cell_id, id: (await giverOf(cluster, primary)).id });
  },
  async afterwards() {},
  isServing: async (cluster, primary) =>
    isServing({ member: primary, state: await stateOf(cluster, primary, PATIENT_MS) }),
  send: sendFramed,
  // The member has given the data its own account before it began.
  recover: async () => null,
  checkSpec,
  check,
};
