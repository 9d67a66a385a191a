import { join } from 'node:path';
import { engineOf } from '@/lib/engines/engines';
import type { Cluster, Member } from '../cluster/clusters';
import { MemberError } from '../cluster/member-error';
import { openSecrets } from '../secrets';
import { type Reply, ReplyError, RespConnection } from './resp';
import { SOCKET, SUPERUSER } from './settings-file';

const held = new Map<string, RespConnection>();

/**
 * Sends a command as the platform's own account, through the member's Unix socket. The connection stays open.
 * @throws MemberError when it can't be reached, loads its file, or does not answer in time; ReplyError for a refusal
 */
export async function ask(
  cluster: Cluster,
  member: Pick<Member, 'id'>,
  words: (string | number)[],
  timeoutMs = 700,
): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MemberError('silent', undefined)), timeoutMs);
  });
  const work = send(cluster, member, words);
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    if (error instanceof ReplyError && !error.message.startsWith('LOADING')) throw error;
    if (error instanceof ReplyError) throw new MemberError('starting', error);
    forget(member);
    throw error instanceof MemberError ? error : new MemberError('refused', error);
  } finally {
    clearTimeout(timer);
  }
}

async function send(cluster: Cluster, member: Pick<Member, 'id'>, words: (string | number)[]): Promise<Reply> {
  const open = held.get(member.id);
  if (open?.isOpen) return open.send(...words);
  const connection = new RespConnection(join(engineOf(cluster.cell_id).services.socketFolder(member.id), SOCKET));
  held.set(member.id, connection);
  await connection.send('AUTH', SUPERUSER, openSecrets(cluster.id, cluster.sealed_secrets).superuser);
  return connection.send(...words);
}

/** Ends the platform's connection to a member. */
export function forget(member: Pick<Member, 'id'>): void {
  held.get(member.id)?.close();
  held.delete(member.id);
}

/** Ends all connections of this process. */
export async function forgetAll(): Promise<void> {
  for (const connection of held.values()) connection.close();
  held.clear();
}
