import { join } from 'node:path';
import { z } from 'zod';
import type { Topology } from '@/lib/network/engine';
import type { Host } from '../host';
import { readRecord, writeRecord } from '../record';

/** Which router each network hangs on, so that guests find their namespace. */
const topologyRecord = z.object({ networks: z.record(z.string(), z.string()) });

const file = (host: Host) => join(host.directory, 'network', 'topology.json');

export async function rememberTopology(host: Host, topology: Topology): Promise<void> {
  const pairs = topology.routers.flatMap((router) => router.networks.map(({ id }) => [id, router.id]));
  const networks = Object.fromEntries(pairs);
  const before = await readRecord(file(host), topologyRecord);
  if (JSON.stringify(before?.networks) !== JSON.stringify(networks)) await writeRecord(file(host), { networks });
}

export async function routerOfNetwork(host: Host, networkId: string): Promise<string | undefined> {
  return (await readRecord(file(host), topologyRecord))?.networks[networkId];
}
