import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { engineOf } from '@/lib/engines/engines';
import type { Cluster, Member } from '../cluster/clusters';
import { type Failure, MemberError } from '../cluster/member-error';
import { Late, within } from '../cluster/within';
import { openSecrets } from '../secrets';
import { MEMBER_SOCKET, SERVER_SOCKET, SUPERUSER } from './settings-file';

const held = new Map<string, Connection>();
const socketOf = (cluster: Cluster, member: Pick<Member, 'id'>, name: string) =>
  join(engineOf(cluster.cell_id).services.socketFolder(member.id), name);

/**
 * Runs a statement as the platform's own account, through the member's Unix socket. The connection stays open.
 * @throws MemberError when it can't be reached or does not answer in time; any other error is the statement's
 */
export async function ask<Row extends object>(
  cluster: Cluster,
  member: Pick<Member, 'id'>,
  statement: string,
  { values = [], timeoutMs = 700 }: { values?: unknown[]; timeoutMs?: number } = {},
): Promise<Row[]> {
  try {
    const connection = held.get(member.id) ?? (await open(cluster, member, timeoutMs));
    const [rows] = await within(connection.query<(Row & RowDataPacket)[]>(statement, values), timeoutMs);
    return Array.isArray(rows) ? rows : [];
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    forget(member);
    throw new MemberError(failure, error);
  }
}

async function open(cluster: Cluster, member: Pick<Member, 'id'>, timeoutMs: number): Promise<Connection> {
  const opening = mysql.createConnection({
    socketPath: socketOf(cluster, member, SERVER_SOCKET),
    user: SUPERUSER,
    password: openSecrets(cluster.id, cluster.sealed_secrets).superuser,
    connectTimeout: timeoutMs,
  });
  // One that opens too late is nobody's.
  const connection = await within(opening, timeoutMs).catch((error) => {
    opening.then((late) => late.destroy()).catch(() => {});
    throw error;
  });
  connection.on('error', () => forget(member));
  held.set(member.id, connection);
  return connection;
}

/** Ends the platform's connection to a member. */
export function forget({ id }: Pick<Member, 'id'>): void {
  const found = held.get(id);
  held.delete(id);
  // A process that hangs never says goodbye.
  found?.destroy();
}

/** Ends all connections of this process. */
export async function forgetAll(): Promise<void> {
  for (const id of held.keys()) forget({ id });
}

export type Desk = { phase: string; uuid: string; seqno: number };

/** What a member's first process says, and a word for it; undefined where it does not answer. */
export function tell(cluster: Cluster, member: Pick<Member, 'id'>, word = ''): Promise<Desk | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connectSocket(socketOf(cluster, member, MEMBER_SOCKET));
    socket.setTimeout(500, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (part) => {
      text += part;
      if (text.endsWith('\n')) socket.end(`${word}\n`);
    });
    socket.on('close', () => {
      const [, phase, uuid = '', seqno] = /^(\w+) (?:([0-9a-f-]{36}):(-?\d+)|-)$/.exec(text.trim()) ?? [];
      resolve(phase === undefined ? undefined : { phase, uuid, seqno: Number(seqno ?? -1) });
    });
  });
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Late) return 'silent';
  if (!(error instanceof Error && 'code' in error)) return 'refused';
  if (error.code === 'ETIMEDOUT') return 'silent';
  // Errors of statements begin with ER_; these two say that the server ends.
  const isStatement = String(error.code).startsWith('ER_');
  return isStatement && !['ER_SERVER_SHUTDOWN', 'ER_CONNECTION_KILLED'].includes(String(error.code))
    ? undefined
    : 'refused';
}
