import { z } from 'zod';
import type { CountedRouter, Traffic } from '@/lib/domains/network/engine';
import { EngineError } from '../../error';
import { run } from '../exec';
import type { Host } from '../host';
import { routerNamespace } from './names';
import { namespaceCommand, namespaceExists } from './namespaces';
import { routerOfNetwork } from './router-record';
import { egressCounter, trafficCounters } from './ruleset';

const counters = z.object({
  nftables: z.array(
    z.object({ counter: z.object({ name: z.string(), bytes: z.number(), packets: z.number() }).optional() }),
  ),
});

type Count = { bytes: number; packets: number };

/** The counters of a router by name; none when the router is not here. */
async function countersOf(host: Host, routerId: string): Promise<Map<string, Count>> {
  const name = routerNamespace(host, routerId);
  return (await namespaceExists(host, name)) ? readCounters(await namespaceCommand(host, name)) : new Map();
}

/** The counters in a namespace by name. */
export async function readCounters(inside: string[]): Promise<Map<string, Count>> {
  const answer = await run([...inside, 'nft', '-j', 'list', 'counters']);
  const found = counters.parse(JSON.parse(answer)).nftables.flatMap(({ counter }) => counter ?? []);
  return new Map(found.map(({ name, bytes, packets }) => [name, { bytes, packets }]));
}

/** What has passed a router, its networks and its floating IPs, by their ids; those that are not counted yet are missing. */
export async function readTraffic(host: Host, router: CountedRouter): Promise<Map<string, Traffic>> {
  const counts = await countersOf(host, router.id);
  const traffic = new Map<string, Traffic>();
  for (const id of [router.id, ...router.networkIds, ...router.floatingIpIds]) {
    const names = trafficCounters(id);
    const [received, sent] = [counts.get(names.received), counts.get(names.sent)];
    if (!received || !sent) continue;
    traffic.set(id, {
      ...{ receivedBytes: received.bytes, receivedPackets: received.packets },
      ...{ sentBytes: sent.bytes, sentPackets: sent.packets },
    });
  }
  return traffic;
}

const FRESH_MS = 1_000;

/** Reads the counters of a router once for all of its guests that are sampled in the same second. */
export class EgressReader {
  private readonly recent = new Map<string, { at: number; counts: Promise<Map<string, Count>> }>();

  constructor(private readonly host: Host) {}

  /** @throws EngineError `NOT_FOUND` for a port that is not counted here: nothing told is not the same as nothing sent */
  async bytesOf(ports: readonly { id: string; networkId: string }[]): Promise<number> {
    let sum = 0;
    for (const { id, networkId } of ports) {
      const routerId = await routerOfNetwork(this.host, networkId);
      const bytes = routerId && (await this.read(routerId)).get(egressCounter(id))?.bytes;
      if (typeof bytes !== 'number')
        throw new EngineError('NOT_FOUND', `Outbound traffic of port ${id} is not counted on this host.`);
      sum += bytes;
    }
    return sum;
  }

  private read(routerId: string): Promise<Map<string, Count>> {
    const known = this.recent.get(routerId);
    if (known && Date.now() - known.at < FRESH_MS) return known.counts;
    const counts = countersOf(this.host, routerId);
    this.recent.set(routerId, { at: Date.now(), counts });
    return counts;
  }
}
