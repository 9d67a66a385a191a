import { promisify } from 'node:util';
import { parseAddress, within } from '@/lib/core/net/address';
import { checkedLookup, OutgoingError, type OutgoingPolicy, operatorsPolicy } from '@/lib/core/net/checked-fetch';
import { ownAddresses } from '../service';

/** How long an address is used before its name is resolved again. */
const FRESH_MS = 10_000;
/** How long an address is kept while its name cannot be resolved. */
const KEPT_MS = 10 * 60_000;

/** The address of a backend's host, or why it has none. */
export type Resolved = { ip: string; reason: null } | { ip: null; reason: string };

type Known = { answer: Resolved; at: number; goodAt: number };

/**
 * Addresses of backends on the internet. HAProxy gets addresses and never names, so that what was checked is what it
 * connects to, also after an answer of DNS has changed.
 */
export class Addresses {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly policy: OutgoingPolicy = operatorsPolicy(),
    private readonly time = () => performance.now(),
  ) {}

  /**
   * @param hosts the names in use; all others are forgotten
   * @param before addresses from before a restart, by host
   */
  async resolve(hosts: ReadonlySet<string>, before: ReadonlyMap<string, string>): Promise<Map<string, Resolved>> {
    for (const host of this.known.keys()) if (!hosts.has(host)) this.known.delete(host);
    const found = await Promise.all(
      [...hosts].map(async (host) => [host, await this.one(host, before.get(host))] as const),
    );
    return new Map(found);
  }

  private async one(host: string, before: string | undefined): Promise<Resolved> {
    const known = this.known.get(host);
    const at = this.time();
    if (known && at - known.at < FRESH_MS) return known.answer;
    const last = known?.answer.ip ?? before;
    const answer = await this.lookUp(host, last);
    if (answer.ip !== null) this.known.set(host, { answer, at, goodAt: at });
    else this.known.set(host, this.whileUnknown(answer, { known, last, at }));
    return this.known.get(host)?.answer ?? answer;
  }

  /** A name that does not resolve at present keeps its address for a while; a refused address ends at once. */
  private whileUnknown(
    answer: Extract<Resolved, { ip: null }> & { refused?: boolean },
    { known, last, at }: { known: Known | undefined; last: string | undefined; at: number },
  ): Known {
    const goodAt = known?.goodAt ?? at;
    const isKept = !answer.refused && last !== undefined && at - goodAt < KEPT_MS;
    return { answer: isKept ? { ip: last, reason: null } : { ip: null, reason: answer.reason }, at, goodAt };
  }

  private async lookUp(host: string, last: string | undefined): Promise<Resolved & { refused?: boolean }> {
    const name = host.replace(/^\[|\]$/g, '');
    try {
      const literal = parseAddress(name);
      const found = literal ? [{ address: name }] : await promisify(checkedLookup(this.policy))(name, { all: true });
      const list = Array.isArray(found) ? found.map(({ address }) => address) : [String(found)];
      const allowed = list.filter((address) => this.mayConnect(address));
      if (allowed.length < list.length || allowed.length === 0)
        return { ip: null, reason: `${host} leads back to the platform.`, refused: true };
      const ip =
        last !== undefined && allowed.includes(last) ? last : (allowed.find((one) => !one.includes(':')) ?? allowed[0]);
      return { ip: ip ?? '', reason: null };
    } catch (error) {
      if (error instanceof OutgoingError) return { ip: null, reason: error.message, refused: true };
      return { ip: null, reason: `${host} could not be resolved.` };
    }
  }

  private mayConnect(address: string): boolean {
    if (!ownAddresses().includes(address)) return true;
    const parsed = parseAddress(address);
    return parsed !== undefined && within(parsed, this.policy.allowed);
  }
}
