import { join } from 'node:path';
import type { FloatingIpPool, NetworkEngine, ObservedNetwork, Router, Topology } from '@/lib/domains/network/engine';
import { detailOf, EngineError } from '../../error';
import { allInstances } from '../compute/instance-record';
import { type Host, prepareHost } from '../host';
import { endProcess, findProcesses } from '../processes';
import { checked, namesIn } from '../record';
import { Turns } from '../turns';
import { type AddressPlan, addressPlan, allocatable, planRouters } from './address-plan';
import { closedRanges } from './closed-ranges';
import { removeDnsmasq } from './dhcp';
import { ensureEdge, removeEdge } from './edge';
import { EgressReader } from './egress';
import { applyForwards, wantedForwards } from './forwards';
import { readLinks } from './links';
import { edgeNamespace, routerNamespace } from './names';
import { existingNamespaces, namespaceCommand } from './namespaces';
import { ensureRouter, removeRouter } from './router';
import { recallForwards, rememberTopology } from './topology-record';
import { topologySchema } from './topology-schema';

/** For how long what was applied is taken to be still there, if nothing contradicts. */
const TRUSTED_MS = 60_000;

/**
 * Networking in namespaces of this host: an edge, and an island for each router. A router that is asked for what it was
 * just given, and whose namespace and daemons are there, is left alone; once a minute everything is made sure of again.
 */
export class LocalNetwork implements NetworkEngine {
  private readonly turns = new Turns();
  private readonly applied = new Map<string, { what: string; at: number }>();

  constructor(private readonly host: Host) {}

  ensureTopology(topology: Topology): Promise<void> {
    return this.turns.take('topology', () => this.apply(checked(topologySchema, topology)));
  }

  observeNetwork(): Promise<ObservedNetwork> {
    return this.turns.take('topology', async () => {
      const plan = await addressPlan(this.host);
      const existing = new Set(await existingNamespaces(this.host));
      const known = Object.entries(plan.routers).filter(([id]) => existing.has(routerNamespace(this.host, id)));
      const routers = await Promise.all(known.map(([id, externalIp]) => this.observeRouter(id, externalIp)));
      return { routers, ...(await recallForwards(this.host)) };
    });
  }

  egressBytes(ports: readonly { id: string; networkId: string }[]): Promise<number> {
    return new EgressReader(this.host).bytesOf(ports);
  }

  async floatingIpPool(): Promise<FloatingIpPool> {
    await prepareHost(this.host);
    return allocatable(this.host, await addressPlan(this.host));
  }

  private async apply(topology: Topology): Promise<void> {
    await prepareHost(this.host);
    const routerIds = topology.routers.map(({ id }) => id);
    const plan = await planRouters(this.host, routerIds);
    if (topology.routers.length === 0) return this.removeAll(topology);
    if (await ensureEdge(this.host, plan)) this.applied.clear();
    const existing = new Set(await existingNamespaces(this.host));
    await this.removeSurplus(topology, existing);
    const forwards = this.host.isolation === 'root' ? [] : wantedForwards(topology);
    await rememberTopology(this.host, topology, { forwards, warnings: [] });
    const failures = await this.applyRouters(topology.routers, plan, existing);
    if (this.host.isolation === 'user') {
      const warnings = await applyForwards(this.host, plan, forwards);
      await rememberTopology(this.host, topology, { forwards, warnings });
    }
    if (failures.length > 0) {
      // Every project reads the message; which router it is about is for administrators.
      throw new EngineError('ENGINE_ERROR', 'Networking could not be set up on the host.', {
        detail: failures.join(' '),
      });
    }
  }

  private async removeAll(topology: Topology): Promise<void> {
    this.applied.clear();
    await this.removeSurplus(topology, new Set(await existingNamespaces(this.host)));
    await rememberTopology(this.host, topology, { forwards: [], warnings: [] });
    await removeEdge(this.host);
  }

  /** One tenant's trouble is not the others': every router gets its turn, and what failed is said at the end. */
  private async applyRouters(routers: Router[], plan: AddressPlan, existing: Set<string>): Promise<string[]> {
    const closed = closedRanges(this.host, plan);
    const daemons = new Set(findProcesses(this.host).flatMap(({ role, id }) => (role === 'dnsmasq' ? [id] : [])));
    const failures: string[] = [];
    for (const router of routers) {
      const exists = existing.has(routerNamespace(this.host, router.id));
      const isServed = router.networks.every(({ id }) => daemons.has(id));
      const what = JSON.stringify([router, plan.segment, plan.pool, plan.routers[router.id], closed]);
      if (exists && isServed && this.isFresh(router.id, what)) continue;
      this.applied.delete(router.id);
      try {
        if (!exists) await this.endStrays(router.networks.map(({ id }) => id));
        await ensureRouter(this.host, plan, router, exists);
        this.applied.set(router.id, { what, at: Date.now() });
      } catch (error) {
        failures.push(`Router ${router.id}: ${detailOf(error)}`);
      }
    }
    return failures;
  }

  private isFresh(routerId: string, what: string): boolean {
    const last = this.applied.get(routerId);
    return last !== undefined && last.what === what && Date.now() - last.at < TRUSTED_MS;
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
