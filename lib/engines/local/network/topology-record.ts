import { join } from 'node:path';
import { z } from 'zod';
import type { ObservedNetwork, Topology } from '@/lib/domains/network/engine';
import type { Host } from '../host';
import { readRecord, writeRecord } from '../record';

type Forwards = Pick<ObservedNetwork, 'forwards' | 'warnings'>;

const forward = z.object({
  floatingIp: z.string(),
  protocol: z.enum(['tcp', 'udp']),
  port: z.number(),
  hostPort: z.number(),
});

/** Which router each network hangs on, so that guests find their namespace, and how floating IPs are reached. */
const topologyRecord = z.object({
  networks: z.record(z.string(), z.string()),
  forwards: z.array(forward),
  warnings: z.array(z.string()),
});

const recordFile = (host: Host) => join(host.directory, 'network', 'topology.json');
const recall = (host: Host) => readRecord(recordFile(host), topologyRecord);

export async function rememberTopology(host: Host, topology: Topology, forwards: Forwards): Promise<void> {
  const pairs = topology.routers.flatMap((router) => router.networks.map(({ id }) => [id, router.id]));
  const record = { networks: Object.fromEntries(pairs), ...forwards };
  if (JSON.stringify(await recall(host)) !== JSON.stringify(record)) await writeRecord(recordFile(host), record);
}

export async function routerOfNetwork(host: Host, networkId: string): Promise<string | undefined> {
  return (await recall(host))?.networks[networkId];
}

export async function recallForwards(host: Host): Promise<Forwards> {
  const record = await recall(host);
  return { forwards: record?.forwards ?? [], warnings: record?.warnings ?? [] };
}
