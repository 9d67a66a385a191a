import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Host, prepareHost } from '../host';
import { readRecord, recordFile, removeRecord, writeRecord } from '../record';

const forward = z.object({
  floatingIp: z.string(),
  protocol: z.enum(['tcp', 'udp']),
  port: z.number(),
  hostPort: z.number(),
});

/** What a router may have on this host besides what its namespace holds: daemons by their network, and forwards. */
const routerRecord = z.object({ networks: z.array(z.string()), forwards: z.array(forward) });
export type RouterRecord = z.infer<typeof routerRecord>;

/** The router of a network, so that guests find their namespace. */
const networkRecord = z.object({ router: z.string() });

const routers = (host: Host) => join(host.directory, 'network', 'routers');
const routerFile = (host: Host, id: string) => recordFile(routers(host), id);
const networkFile = (host: Host, id: string) => recordFile(join(host.directory, 'network', 'networks'), id);

/** Written before anything of it is made, so that whatever exists is known after a crash. */
export async function rememberRouter(host: Host, id: string, record: RouterRecord): Promise<void> {
  for (const network of record.networks) {
    const known = await readRecord(networkFile(host, network), networkRecord);
    if (known?.router !== id) await writeRecord(networkFile(host, network), { router: id });
  }
  const before = await recallRouter(host, id);
  if (JSON.stringify(before) !== JSON.stringify(record)) await writeRecord(routerFile(host, id), record);
}

export const recallRouter = (host: Host, id: string) => readRecord(routerFile(host, id), routerRecord);

export const forgetNetwork = (host: Host, id: string) => removeRecord(networkFile(host, id));

export const forgetRouter = (host: Host, id: string) => removeRecord(routerFile(host, id));

/** Ids of the routers that this host may have something of. */
export async function rememberedRouters(host: Host): Promise<string[]> {
  const names = await readdir(routers(host)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
}

export async function routerOfNetwork(host: Host, networkId: string): Promise<string | undefined> {
  const known = await readRecord(networkFile(host, networkId), networkRecord);
  return known?.router ?? (await readRecord(formerFile(host), formerRecord))?.networks[networkId];
}

/** The one record of all routers that earlier versions wrote: networks by their router, and everybody's forwards. */
const formerRecord = z.object({ networks: z.record(z.string(), z.string()), forwards: z.array(forward) });

const formerFile = (host: Host) => join(host.directory, 'network', 'topology.json');

/**
 * Takes over the record of an earlier version. It does not say whose a forward is, so every router gets all of them: a
 * forward stays until its own router is ensured, and one that no router wants goes with the last of them.
 */
export async function takeOverRecord(host: Host): Promise<void> {
  const former = await readRecord(formerFile(host), formerRecord);
  if (!former) return;
  await prepareHost(host);
  const pairs = Object.entries(former.networks);
  for (const router of new Set(pairs.map(([, router]) => router))) {
    const networks = pairs.flatMap(([network, owner]) => (owner === router ? [network] : []));
    await rememberRouter(host, router, { networks, forwards: former.forwards });
  }
  await removeRecord(formerFile(host));
}
