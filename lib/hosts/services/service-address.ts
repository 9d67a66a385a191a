import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type EgressProxy, type PlatformAccess, startEgressProxy } from '@/lib/core/net/egress-proxy';
import { engineOf } from '@/lib/engines/engines';
import { callersAddress, serviceListeners } from '@/lib/service-address';
import { settings } from '@/lib/settings';

const MOST_CONNECTIONS = 128;
const IDLE_MS = 300_000;

type Place = { host: string; port: number };

/** Where servers of this host are reached from it. */
const onThisHost = ({ host, port }: Place): Place => ({
  host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host,
  port,
});

/** What an owner's programs may call of the platform; the back office, the metrics and the database are not among it. */
export const platformAccess = (
  owner: string,
  web: Place = onThisHost(settings()),
  s3: Place = onThisHost(settings().s3),
): PlatformAccess => ({
  // Limits on calls of an address are not shared with others.
  from: callersAddress(createHash('sha256').update(owner).digest()),
  listeners: [
    { ...serviceListeners.api, to: web },
    // Signatures of S3 cover host and path.
    { ...serviceListeners.s3, to: s3, asWritten: true },
  ],
});

/** What answers at the service address of a cell's routers: a proxy each, in this process, that leads nowhere else. */
export class ServiceAddresses {
  private readonly open = new Map<string, EgressProxy>();

  constructor(
    private readonly cell: string,
    private readonly web?: Place,
  ) {}

  /** Answers in the networks of these routers, and of no others. */
  async ensure(routerIds: ReadonlySet<string>): Promise<void> {
    for (const id of [...this.open.keys()]) if (!routerIds.has(id)) await this.close(id);
    for (const id of routerIds) {
      // The socket goes with a router, which may have come back since.
      if (this.open.has(id) && existsSync(engineOf(this.cell).network.serviceSocket(id))) continue;
      await this.close(id);
      this.open.set(id, await this.begin(id));
    }
  }

  async stop(): Promise<void> {
    await this.ensure(new Set());
  }

  private async begin(routerId: string): Promise<EgressProxy> {
    const socket = engineOf(this.cell).network.serviceSocket(routerId);
    await mkdir(dirname(socket), { recursive: true });
    return startEgressProxy(socket, {
      policy: { allowed: [], resolve: async () => [] },
      ports: [],
      platform: platformAccess(routerId, this.web),
      mostConnections: MOST_CONNECTIONS,
      idleMs: IDLE_MS,
    });
  }

  private async close(routerId: string): Promise<void> {
    await this.open.get(routerId)?.close();
    this.open.delete(routerId);
  }
}
