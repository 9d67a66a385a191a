import { join } from 'node:path';
import { z } from 'zod';
import type { Host } from '../host';
import { readRecord, recordFile, removeRecord, writeRecord } from '../record';

/** The last request that reset an instance's machine, so that repeating the request does not reboot again. */
const rebootRecord = z.object({ request: z.string() });
const rebootFile = (host: Host, id: string) => recordFile(join(host.directory, 'reboots'), id);

/** Whether this request has reset the machine. */
export async function hasReset(host: Host, id: string, request: string): Promise<boolean> {
  return (await readRecord(rebootFile(host, id), rebootRecord))?.request === request;
}

export const rememberReset = (host: Host, id: string, request: string) =>
  writeRecord(rebootFile(host, id), { request });

export const forgetResets = (host: Host, id: string) => removeRecord(rebootFile(host, id));
