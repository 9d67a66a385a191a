import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { engineOf } from '@/lib/engines/engines';
import type { Cluster, Member } from '../cluster/clusters';
import { type Failure, MemberError } from '../cluster/member-error';
import { Late, within } from '../cluster/within';
import { openSecrets } from '../secrets';
import { MEMBER_SOCKET, SERVER_SOCKET, SUPERUSER } from './settings-file';

/**
 * Statements of one connection wait for each other. Who watches a member has a connection of its own: one that waits for the
 * group, as a change of an account may, must not look like a server that hangs.
 */
type Lane = 'watch' | 'work';
const lanes: readonly Lane[] = ['watch', 'work'];

const held = new Map<string, Connection>();
const laneOf = (member: Pick<Member, 'id'>, lane: Lane) => `${member.id} ${lane}`;
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
  { values = [], timeoutMs = 700, lane = 'work' }: { values?: unknown[]; timeoutMs?: number; lane?: Lane } = {},
): Promise<Row[]> {
  const key = laneOf(member, lane);
  try {
    const connection = held.get(key) ?? (await open(cluster, member, { key, timeoutMs }));
    const [rows] = await within(connection.query<(Row & RowDataPacket)[]>(statement, values), timeoutMs);
    return Array.isArray(rows) ? rows : [];
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    drop(key);
    throw new MemberError(failure, error);
  }
}

async function open(
  cluster: Cluster,
  member: Pick<Member, 'id'>,
  { key, timeoutMs }: { key: string; timeoutMs: number },
): Promise<Connection> {
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
  connection.on('error', () => drop(key));
  held.set(key, connection);
  return connection;
}

/** Ends the platform's connections to a member. */
export function forget(member: Pick<Member, 'id'>): void {
  for (const lane of lanes) drop(laneOf(member, lane));
}

function drop(key: string): void {
  const found = held.get(key);
  held.delete(key);
  // A process that hangs never says goodbye.
  found?.destroy();
}

/** Ends all connections of this process. */
export async function forgetAll(): Promise<void> {
  for (const key of held.keys()) drop(key);
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
  // It is in no group for the moment.
  if (error.code === 'ER_UNKNOWN_COM_ERROR') return 'starting';
  // Errors of statements begin with ER_; these two say that the server ends.
  const isStatement = String(error.code).startsWith('ER_');
  return isStatement && !['ER_SERVER_SHUTDOWN', 'ER_CONNECTION_KILLED'].includes(String(error.code))
    ? undefined
    : 'refused';
}
