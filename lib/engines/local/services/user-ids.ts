import { chmod, chown } from 'node:fs/promises';
import { type Host, SERVICE_USERS } from '../host';
import { UserIds } from '../user-ids';
import { userIdsFile } from './service-record';

/** The user ids of services, each from its first start until it is removed. */
export const serviceUsers = (host: Host) => new UserIds(userIdsFile(host), SERVICE_USERS);

/** Hands a file or folder over to one service's user. Without root that is this user, by another number inside. */
export async function giveToUser(host: Host, path: string, uid: number, mode: number): Promise<void> {
  if (host.isolation === 'root') await chown(path, uid, uid);
  await chmod(path, mode);
}
