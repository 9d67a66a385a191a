import { chmod, chown } from 'node:fs/promises';
import { z } from 'zod';
import { EngineError } from '../../error';
import type { Host } from '../host';
import { readRecord, writeRecord } from '../record';
import { Turns } from '../turns';
import { userIdsFile } from './service-record';

/**
 * First of 16 million user ids for services, below those of guests: a process of a service is never taken for one of a
 * guest, whatever it writes into its own environment.
 */
export const SERVICE_USERS = 0x6f000000;
const COUNT = 0x1000000;

const allotment = z.object({ next: z.int().min(0), users: z.record(z.string(), z.int()) });
const turns = new Turns();

/**
 * The user id of a service, from its first start until it is removed. Ids go round in turn, so that a file which a removed
 * service left somewhere does not soon belong to another tenant's.
 */
export function allotUser(host: Host, serviceId: string): Promise<number> {
  return turns.take(host.tag, async () => {
    const { next, users } = (await readRecord(userIdsFile(host), allotment)) ?? { next: 0, users: {} };
    const present = users[serviceId];
    if (present !== undefined) return SERVICE_USERS + present;
    const taken = new Set(Object.values(users));
    if (taken.size >= COUNT) throw new EngineError('CAPACITY_EXHAUSTED', 'No user ids are left for services.');
    let chosen = next % COUNT;
    while (taken.has(chosen)) chosen = (chosen + 1) % COUNT;
    await writeRecord(userIdsFile(host), { next: (chosen + 1) % COUNT, users: { ...users, [serviceId]: chosen } });
    return SERVICE_USERS + chosen;
  });
}

/** Gives a service's user id back; no error where it has none. */
export function freeUser(host: Host, serviceId: string): Promise<void> {
  return turns.take(host.tag, async () => {
    const record = await readRecord(userIdsFile(host), allotment);
    if (record?.users[serviceId] === undefined) return;
    const { [serviceId]: _, ...users } = record.users;
    await writeRecord(userIdsFile(host), { next: record.next, users });
  });
}

/** Hands a file or folder over to one service's user. */
export async function giveToUser(path: string, uid: number, mode: number): Promise<void> {
  await chown(path, uid, uid);
  await chmod(path, mode);
}
