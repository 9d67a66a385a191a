import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type OutgoingPolicy, operatorsPolicy } from '@/lib/core/net/checked-fetch';
import { type EgressCount, type EgressProxy, startEgressProxy } from '@/lib/core/net/egress-proxy';
import { engineOf } from '@/lib/engines/engines';
import type { ServiceSpec } from './engine';
import { platformAccess } from './service-address';

const PORTS = [80, 443];

const MOST_CONNECTIONS = 128;
const IDLE_MS = 300_000;

type Open = { proxy: EgressProxy; owner: string; taken: EgressCount };

/** The ways out of a cell's services: a proxy each, in this process, whose bytes count for the service's owner. */
export class EgressProxies {
  private readonly open = new Map<string, Open>();
  private readonly counts = new Map<string, EgressCount>();

  constructor(
    private readonly cell: string,
    private readonly policy: OutgoingPolicy = operatorsPolicy(),
    private readonly ports: readonly number[] = PORTS,
    private readonly web?: { host: string; port: number },
  ) {}

  /** Opens a proxy for each service that should run and have one, and closes all others. */
  async ensure(wanted: readonly ServiceSpec[]): Promise<void> {
    const owners = new Map(
      wanted.flatMap(({ id, power, egress }) => (egress && power === 'running' ? [[id, egress.owner] as const] : [])),
    );
    for (const [id, { owner }] of [...this.open]) if (owners.get(id) !== owner) await this.close(id);
    for (const [id, owner] of owners) if (!this.open.has(id)) await this.begin(id, owner);
  }

  /** Bytes of each owner since the last call, also of proxies that have been closed since. */
  take(): Map<string, EgressCount> {
    for (const id of this.open.keys()) this.read(id);
    const taken = new Map([...this.counts].filter(([, { sentBytes, receivedBytes }]) => sentBytes + receivedBytes > 0));
    this.counts.clear();
    return taken;
  }

  /** Counts bytes again that nobody could write down. */
  giveBack(taken: ReadonlyMap<string, EgressCount>): void {
    for (const [owner, count] of taken) this.add(owner, count);
  }

  async stop(): Promise<void> {
    for (const id of [...this.open.keys()]) await this.close(id);
  }

  private async begin(id: string, owner: string): Promise<void> {
    const socket = engineOf(this.cell).services.egressSocket(id);
    await mkdir(dirname(socket), { recursive: true });
    const limits = { mostConnections: MOST_CONNECTIONS, idleMs: IDLE_MS };
    const platform = platformAccess(owner, this.web);
    const proxy = await startEgressProxy(socket, { policy: this.policy, ports: this.ports, platform, ...limits });
    this.open.set(id, { proxy, owner, taken: { sentBytes: 0, receivedBytes: 0 } });
  }

  private async close(id: string): Promise<void> {
    await this.open.get(id)?.proxy.close();
    // The last bytes are counted when their connections have ended.
    this.read(id);
    this.open.delete(id);
  }

  private read(id: string): void {
    const found = this.open.get(id);
    if (!found) return;
    const now = found.proxy.count();
    this.add(found.owner, {
      sentBytes: now.sentBytes - found.taken.sentBytes,
      receivedBytes: now.receivedBytes - found.taken.receivedBytes,
    });
    found.taken = now;
  }

  private add(owner: string, { sentBytes, receivedBytes }: EgressCount): void {
    const sum = this.counts.get(owner) ?? { sentBytes: 0, receivedBytes: 0 };
    this.counts.set(owner, {
      sentBytes: sum.sentBytes + sentBytes,
      receivedBytes: sum.receivedBytes + receivedBytes,
    });
  }
}
