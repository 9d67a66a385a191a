import { join } from 'node:path';
import type { FloatingIpForward, FloatingIpPool, NetworkEngine, ObservedNetwork, Topology } from '@/lib/network/engine';
import { allInstances } from '../compute/instance-record';
import { type Host, prepareHost } from '../host';
import { endProcess, findProcesses } from '../processes';
import { namesIn } from '../record';
import { Turns } from '../turns';
import { addressPlan, allocatable, planRouters } from './address-plan';
import { removeDnsmasq } from './dhcp';
import { ensureEdge } from './edge';
import { applyForwards, wantedForwards } from './forwards';
import { readLinks } from './links';
import { edgeNamespace, routerNamespace } from './names';
import { existingNamespaces, namespaceCommand } from './namespaces';
import { ensureRouter, removeRouter } from './router';
import { rememberTopology } from './topology-record';

/** Networking in namespaces of this host: an edge, and an island for each router. */
export class LocalNetwork implements NetworkEngine {
  private readonly turns = new Turns();
  private forwards: FloatingIpForward[] = [];
  private warnings: string[] = [];

  constructor(private readonly host: Host) {}

  ensureTopology(topology: Topology): Promise<void> {
    return this.turns.take('topology', () => this.apply(topology));
  }

  observeNetwork(): Promise<ObservedNetwork> {
    return this.turns.take('topology', async () => {
      const plan = await addressPlan(this.host);
      const existing = new Set(await existingNamespaces(this.host));
      const known = Object.entries(plan.routers).filter(([id]) => existing.has(routerNamespace(this.host, id)));
      const routers = await Promise.all(known.map(([id, externalIp]) => this.observeRouter(id, externalIp)));
      return { routers, forwards: this.forwards, warnings: this.warnings };
    });
  }

  async floatingIpPool(): Promise<FloatingIpPool> {
    await prepareHost(this.host);
    return allocatable(this.host, await addressPlan(this.host));
  }

  private async apply(topology: Topology): Promise<void> {
    await prepareHost(this.host);
    const plan = await planRouters(
      this.host,
      topology.routers.map(({ id }) => id),
    );
    await ensureEdge(this.host, plan);
    const existing = new Set(await existingNamespaces(this.host));
    await this.removeSurplus(topology, existing);
    for (const router of topology.routers) {
      const exists = existing.has(routerNamespace(this.host, router.id));
      if (!exists) await this.endStrays(router.networks.map(({ id }) => id));
      await ensureRouter(this.host, plan, router, exists);
    }
    await rememberTopology(this.host, topology);
    if (this.host.isolation === 'root') return;
    this.forwards = wantedForwards(topology);
    this.warnings = await applyForwards(this.host, plan, this.forwards);
  }

  private async removeSurplus(topology: Topology, existing: Set<string>): Promise<void> {
    const networks = new Set(topology.routers.flatMap((router) => router.networks.map(({ id }) => id)));
    const running = findProcesses(this.host).flatMap(({ role, id }) => (role === 'dnsmasq' ? [id] : []));
    const onDisk = (await namesIn(join(this.host.directory, 'network'))).filter((name) => !name.includes('.json'));
    for (const id of new Set([...running, ...onDisk])) if (!networks.has(id)) await removeDnsmasq(this.host, id);
    const wanted = new Set([
      edgeNamespace(this.host),
      ...topology.routers.map(({ id }) => routerNamespace(this.host, id)),
    ]);
    for (const name of existing) {
      if (!wanted.has(name)) await removeRouter(this.host, name);
    }
  }

  /**
   * A router's namespace is about to be made anew, so what still runs in the one before it has lost its cables: daemons
   * start again below, guests are seen as crashed and are started by whoever wants them to run.
   */
  private async endStrays(networkIds: string[]): Promise<void> {
    const networks = new Set(networkIds);
    const instances = await allInstances(this.host);
    for (const process of findProcesses(this.host)) {
      const isDaemon = process.role === 'dnsmasq' && networks.has(process.id);
      const ports = process.role === 'qemu' ? (instances.get(process.id)?.ports ?? []) : [];
      if (isDaemon || ports.some(({ networkId }) => networks.has(networkId))) await endProcess(process);
    }
  }

  private async observeRouter(id: string, externalIp: string): Promise<ObservedNetwork['routers'][number]> {
    const links = await readLinks(await namespaceCommand(this.host, routerNamespace(this.host, id)));
    const aliases = (prefix: string) =>
      [...links].flatMap(([name, { alias }]) => (name.startsWith(prefix) && alias ? [alias] : []));
    return { id, externalIp, networkIds: aliases('br'), portIds: aliases('tap') };
  }
}
