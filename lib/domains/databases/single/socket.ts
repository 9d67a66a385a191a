import { request } from 'node:http';
import { join } from 'node:path';
import { engineOf } from '@/lib/engines/engines';
import type { Cluster, Member } from '../cluster/clusters';
import { MemberError } from '../cluster/member-error';

/** Where a member answers the platform, without a key. */
export const SOCKET = 'api.sock';
const MOST_CHARACTERS = 64 * 1024;

/**
 * Asks a member through its Unix socket.
 * @returns the text of its answer
 * @throws MemberError when it can't be reached, does not answer in time, or answers with an error
 */
export const ask = (
  cluster: Pick<Cluster, 'cell_id'>,
  member: Pick<Member, 'id'>,
  path: string,
  timeoutMs: number,
): Promise<string> => send(cluster, member, 'GET', path, timeoutMs);

/** Tells a member to change something. @returns and throws as `ask` does */
export const command = (
  cluster: Pick<Cluster, 'cell_id'>,
  member: Pick<Member, 'id'>,
  path: string,
  timeoutMs: number,
): Promise<string> => send(cluster, member, 'POST', path, timeoutMs);

function send(
  cluster: Pick<Cluster, 'cell_id'>,
  member: Pick<Member, 'id'>,
  method: 'GET' | 'POST',
  path: string,
  timeoutMs: number,
): Promise<string> {
  const socketPath = join(engineOf(cluster.cell_id).services.socketFolder(member.id), SOCKET);
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const fail = (error: unknown) => reject(new MemberError(signal.aborted ? 'silent' : 'refused', error));
    const call = request({ socketPath, method, path, agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > MOST_CHARACTERS) call.destroy(new Error('the answer is too long'));
      });
      response.on('error', fail);
      response.on('end', () =>
        response.statusCode === 200
          ? resolve(text)
          : reject(new MemberError('starting', new Error(`answer ${response.statusCode}: ${text}`))),
      );
    });
    call.on('error', fail);
    call.end();
  });
}
