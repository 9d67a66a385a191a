import { chmod } from 'node:fs/promises';
import { now } from '@/lib/clock';
import { operatorsPolicy } from '@/lib/core/net/checked-fetch';
import { type EgressProxy, startEgressProxy } from '@/lib/core/net/egress-proxy';
import { platformAccess } from '@/lib/hosts/services/service-address';
import { recordUsage } from '@/lib/money/metering/usage-events';
import type { FunctionEngine } from '../engine';

const PORTS = [80, 443];
const MOST_CONNECTIONS = 64;
const IDLE_MS = 60_000;

type Owner = { project_id: string; function_id: string; name: string };
type Open = { owner: Owner; socket: string; proxy: EgressProxy; counted: number };

/** The ways out of functions: a proxy each, whose bytes are billed. */
export class Egress {
  private readonly opened = new Map<string, Promise<Open>>();
  /** Bytes beside those of proxies: responses to callers of URLs. */
  private readonly sent = new Map<string, { owner: Owner; bytes: number }>();
  private rounds = 0;

  constructor(
    private readonly engine: FunctionEngine,
    private readonly poolId: string,
  ) {}

  /** @returns the socket of a function's proxy */
  async open(owner: Owner): Promise<string> {
    const present = this.opened.get(owner.function_id) ?? this.begin(owner);
    this.opened.set(owner.function_id, present);
    try {
      return (await present).socket;
    } catch (error) {
      this.opened.delete(owner.function_id);
      throw error;
    }
  }

  /** Counts bytes that left for a client outside. */
  add(owner: Owner, bytes: number): void {
    const present = this.sent.get(owner.function_id);
    this.sent.set(owner.function_id, { owner, bytes: (present?.bytes ?? 0) + bytes });
  }

  /** Writes down what has been counted since the last call. Its number makes a repeat harmless. */
  async count(): Promise<void> {
    for (const pending of this.opened.values()) {
      const one = await pending.catch(() => undefined);
      if (!one) continue;
      const { sentBytes } = one.proxy.count();
      if (sentBytes > one.counted) this.add(one.owner, sentBytes - one.counted);
      one.counted = sentBytes;
    }
    const taken = [...this.sent.values()].filter(({ bytes }) => bytes > 0);
    if (taken.length === 0) return;
    this.sent.clear();
    this.rounds += 1;
    try {
      await recordUsage(
        taken.map(({ owner: { project_id, function_id, name }, bytes }) => ({
          key: `function-egress:${this.poolId}:${this.rounds}:${function_id}`,
          project_id,
          metric: 'network_egress' as const,
          resource_type: 'function',
          resource_id: function_id,
          resource_name: name,
          quantity: bytes,
          occurred_at: now(),
        })),
      );
    } catch (error) {
      for (const { owner, bytes } of taken) this.add(owner, bytes);
      throw error;
    }
  }

  async close(functionId: string): Promise<void> {
    const one = await this.opened.get(functionId)?.catch(() => undefined);
    this.opened.delete(functionId);
    if (!one) return;
    await one.proxy.close();
    const { sentBytes } = one.proxy.count();
    if (sentBytes > one.counted) this.add(one.owner, sentBytes - one.counted);
  }

  async stop(): Promise<void> {
    for (const id of [...this.opened.keys()]) await this.close(id);
    await this.count();
  }

  private async begin(owner: Owner): Promise<Open> {
    const socket = this.engine.egressSocket(owner.function_id);
    const proxy = await startEgressProxy(socket, {
      policy: operatorsPolicy(),
      ports: PORTS,
      platform: platformAccess(owner.function_id),
      mostConnections: MOST_CONNECTIONS,
      idleMs: IDLE_MS,
    });
    // Its folder lets nobody in but this platform; an instance gets the socket alone.
    await chmod(socket, 0o666);
    return { owner, socket, proxy, counted: 0 };
  }
}
