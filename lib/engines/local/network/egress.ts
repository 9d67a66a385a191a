import { z } from 'zod';
import { EngineError } from '../../error';
import { run } from '../exec';
import type { Host } from '../host';
import { routerNamespace } from './names';
import { namespaceCommand, namespaceExists } from './namespaces';
import { routerOfNetwork } from './router-record';
import { egressCounter } from './ruleset';

const counters = z.object({
  nftables: z.array(z.object({ counter: z.object({ name: z.string(), bytes: z.number() }).optional() })),
});

/** Bytes that each port of a router has sent to the outside, by its counter's name. */
export async function readEgress(inside: string[]): Promise<Map<string, number>> {
  const answer = await run([...inside, 'nft', '-j', 'list', 'counters']);
  const found = counters.parse(JSON.parse(answer)).nftables.flatMap(({ counter }) => counter ?? []);
  return new Map(found.map(({ name, bytes }) => [name, bytes]));
}

const FRESH_MS = 1_000;

/** Reads the counters of a router once for all of its guests that are sampled in the same second. */
export class EgressReader {
  private readonly recent = new Map<string, { at: number; bytes: Promise<Map<string, number>> }>();

  constructor(private readonly host: Host) {}

  /** @throws EngineError `NOT_FOUND` for a port that is not counted here: nothing told is not the same as nothing sent */
  async bytesOf(ports: readonly { id: string; networkId: string }[]): Promise<number> {
    let sum = 0;
    for (const { id, networkId } of ports) {
      const routerId = await routerOfNetwork(this.host, networkId);
      const bytes = routerId && (await this.read(routerId)).get(egressCounter(id));
      if (typeof bytes !== 'number')
        throw new EngineError('NOT_FOUND', `Outbound traffic of port ${id} is not counted on this host.`);
      sum += bytes;
    }
    return sum;
  }

  private read(routerId: string): Promise<Map<string, number>> {
    const known = this.recent.get(routerId);
    if (known && Date.now() - known.at < FRESH_MS) return known.bytes;
    const bytes = this.readRouter(routerNamespace(this.host, routerId));
    this.recent.set(routerId, { at: Date.now(), bytes });
    return bytes;
  }

  private async readRouter(name: string): Promise<Map<string, number>> {
    return (await namespaceExists(this.host, name)) ? readEgress(await namespaceCommand(this.host, name)) : new Map();
  }
}
