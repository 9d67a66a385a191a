import { z } from 'zod';
import type {
  CountedRouter,
  Entry,
  EntryTarget,
  FloatingIpForward,
  FloatingIpRange,
  NetworkEngine,
  ObservedRouter,
  Redirected,
  Router,
  RouterState,
  Traffic,
} from '@/lib/domains/network/engine';
import { detailOf, EngineError } from '../../error';
import { allInstances } from '../compute/instance-record';
import { type Host, prepareHost } from '../host';
import { endProcess, findProcess, findProcesses } from '../processes';
import { checked } from '../record';
import { Turns } from '../turns';
import { type AddressPlan, addressPlan, allocatable, planRouter, unplanRouter } from './address-plan';
import { closedRanges } from './closed-ranges';
import { removeDnsmasq } from './dhcp';
import { ensureEdge, removeEdge } from './edge';
import { EgressReader, readTraffic } from './egress';
import { ensureEntries, removeEntries } from './entries';
import { applyForwards, wantedForwards } from './forwards';
import { readLinks } from './links';
import { edgeNamespace, routerNamespace } from './names';
import { namespaceCommand, namespaceExists } from './namespaces';
import { endRedirected, redirect } from './redirects';
import { answersService, serviceSocket, stopServiceRelay } from './relay';
import { ensureRouter, removeRouter } from './router';
import {
  forgetNetwork,
  forgetRouter,
  type RouterRecord,
  recallRouter,
  rememberedRouters,
  rememberRouter,
  takeOverRecord,
} from './router-record';
import { entryTarget, ipv4, redirected, routerSchema } from './router-schema';

/** For how long what was applied is taken to be still there, if nothing contradicts. */
const TRUSTED_MS = 60_000;

/** What was last made of something, and when. */
type Applied<T> = { what: string; at: number; state: T };

/**
 * Networking in namespaces of this host: an edge, and an island for each router. A router that is asked for what it was
 * just given, and whose namespace and daemons are there, is left alone; once a minute it is made sure of again.
 */
export class LocalNetwork implements NetworkEngine {
  private readonly routers = new Turns();
  /** For what routers share: the address plan, the edge, and the choice of whose the last record is. */
  private readonly shared = new Turns();
  private readonly applied = new Map<string, Applied<RouterState>>();
  private edge: Applied<undefined> | undefined;

  constructor(private readonly host: Host) {}

  async ensureRouter(given: Router): Promise<RouterState> {
    const router = checked(routerSchema, given);
    return this.routers.take(router.id, () => this.apply(router));
  }

  async removeRouter(id: string): Promise<void> {
    await this.takeOver();
    return this.routers.take(id, () => this.remove(id));
  }

  async observeRouters(): Promise<ObservedRouter[]> {
    await this.takeOver();
    const ids = await rememberedRouters(this.host);
    if (ids.length === 0) return [];
    const plan = await this.shared.take('plan', () => addressPlan(this.host));
    return Promise.all(ids.map((id) => this.routers.take(id, () => this.observe(id, plan.routers[id] ?? null))));
  }

  egressBytes(ports: readonly { id: string; networkId: string }[]): Promise<number> {
    return new EgressReader(this.host).bytesOf(ports);
  }

  traffic(router: CountedRouter): Promise<ReadonlyMap<string, Traffic>> {
    return readTraffic(this.host, router);
  }

  serviceSocket(routerId: string): string {
    return serviceSocket(this.host, routerId);
  }

  ensureEntries(routerId: string, targets: readonly EntryTarget[]): Promise<Entry[]> {
    return this.routers.take(routerId, async () => {
      await prepareHost(this.host);
      return ensureEntries(this.host, routerId, z.array(entryTarget).parse(targets));
    });
  }

  redirect(from: Redirected, to: string | null): Promise<void> {
    return redirect(this.host, checked(redirected, from), to === null ? null : ipv4.parse(to));
  }

  endRedirected(from: Redirected, keep: string | null): Promise<void> {
    return endRedirected(this.host, checked(redirected, from), keep);
  }

  async floatingIpRanges(): Promise<FloatingIpRange[]> {
    await prepareHost(this.host);
    return [allocatable(this.host, await this.shared.take('plan', () => addressPlan(this.host)))];
  }

  private async apply(router: Router): Promise<RouterState> {
    await prepareHost(this.host);
    await this.takeOver();
    const wanted = recordOf(this.host, router);
    const before = (await recallRouter(this.host, router.id)) ?? { networks: [], forwards: [] };
    // Whatever was there or will be is known until the last of it has gone.
    await rememberRouter(this.host, router.id, union(before, wanted));
    const plan = await this.shared.take('plan', () => this.prepareEdge(router.id));
    const exists = await namespaceExists(this.host, routerNamespace(this.host, router.id));
    const address = plan.routers[router.id] ?? '';
    const what = JSON.stringify([router, address, surroundings(this.host, plan)]);
    const last = this.applied.get(router.id);
    if (exists && this.isServed(router) && isFresh(last, what) && last.state.warnings.length === 0) return last.state;
    this.applied.delete(router.id);
    try {
      if (!exists) await this.endStrays(router);
      const connected = await ensureRouter(this.host, plan, router, exists);
      const warnings = await this.applyForwards(router.id, plan, wanted.forwards, before.forwards);
      await this.dropNetworks(before.networks.filter((id) => !wanted.networks.includes(id)));
      await rememberRouter(this.host, router.id, wanted);
      const state = { externalIp: address, forwards: wanted.forwards, warnings };
      if (connected) this.applied.set(router.id, { what, at: Date.now(), state });
      return state;
    } catch (error) {
      // Every user of the project reads the message; which router it is about is for administrators.
      throw new EngineError('ENGINE_ERROR', 'Networking could not be set up on the host.', {
        detail: `Router ${router.id}: ${detailOf(error)}`,
      });
    }
  }

  private async remove(id: string): Promise<void> {
    this.applied.delete(id);
    const record = await recallRouter(this.host, id);
    const name = routerNamespace(this.host, id);
    const exists = await namespaceExists(this.host, name);
    if (!record && !exists) return;
    await this.dropNetworks(record?.networks ?? []);
    await stopServiceRelay(this.host, id);
    await removeEntries(this.host, id);
    if (exists) await removeRouter(this.host, name);
    await this.shared.take('plan', () => this.forget(id, record?.forwards ?? []));
  }

  /** Frees what a router took of what all share. The edge goes with the last router, and a router's record last. */
  private async forget(id: string, forwards: FloatingIpForward[]): Promise<void> {
    const others = (await rememberedRouters(this.host)).filter((other) => other !== id);
    if (others.length === 0) {
      this.edge = undefined;
      await removeEdge(this.host);
    } else if (findProcess(this.host, 'slirp', 'edge')) {
      await this.applyForwards(id, await addressPlan(this.host), [], forwards);
    }
    await unplanRouter(this.host, id);
    await forgetRouter(this.host, id);
  }

  private async dropNetworks(ids: string[]): Promise<void> {
    for (const id of ids) {
      await removeDnsmasq(this.host, id);
      await forgetNetwork(this.host, id);
    }
  }

  private takeOver(): Promise<void> {
    return this.shared.take('plan', () => takeOverRecord(this.host));
  }

  /** The plan with an address for a router, and the edge that it will be connected to. */
  private async prepareEdge(routerId: string): Promise<AddressPlan> {
    const plan = await planRouter(this.host, routerId);
    const what = surroundings(this.host, plan);
    if ((await this.isEdgeUp()) && isFresh(this.edge, what)) return plan;
    this.edge = undefined;
    if (await ensureEdge(this.host, plan)) this.applied.clear();
    this.edge = { what, at: Date.now(), state: undefined };
    return plan;
  }

  private async isEdgeUp(): Promise<boolean> {
    if (!(await namespaceExists(this.host, edgeNamespace(this.host)))) return false;
    if (this.host.isolation === 'root') return true;
    const roles = new Set(findProcesses(this.host).map(({ role }) => role));
    return roles.has('slirp') && roles.has('holder');
  }

  private isServed(router: Router): boolean {
    const daemons = new Set(findProcesses(this.host).flatMap(({ role, id }) => (role === 'dnsmasq' ? [id] : [])));
    return answersService(this.host, router.id) && router.networks.every(({ id }) => daemons.has(id));
  }

  /** Without root: forwards what is wanted, and ends what was forwarded for this router and is no other's now. */
  private async applyForwards(
    id: string,
    plan: AddressPlan,
    wanted: FloatingIpForward[],
    before: FloatingIpForward[],
  ): Promise<string[]> {
    if (this.host.isolation === 'root') return [];
    const gone = without(before, wanted);
    return applyForwards(this.host, plan, wanted, gone.length > 0 ? without(gone, await this.othersForwards(id)) : []);
  }

  private async othersForwards(id: string): Promise<FloatingIpForward[]> {
    const others = (await rememberedRouters(this.host)).filter((other) => other !== id);
    return (await Promise.all(others.map((other) => recallRouter(this.host, other)))).flatMap(
      (record) => record?.forwards ?? [],
    );
  }

  /**
   * A router's namespace is about to be made anew, so what still runs in the one before it has lost its cables: daemons
   * start again below, guests are seen as crashed and are started by whoever wants them to run.
   */
  private async endStrays(router: Router): Promise<void> {
    const networks = new Set(router.networks.map(({ id }) => id));
    await stopServiceRelay(this.host, router.id);
    await removeEntries(this.host, router.id);
    const instances = await allInstances(this.host);
    for (const process of findProcesses(this.host)) {
      const isDaemon = process.role === 'dnsmasq' && networks.has(process.id);
      const ports = process.role === 'qemu' ? (instances.get(process.id)?.ports ?? []) : [];
      if (isDaemon || ports.some(({ networkId }) => networks.has(networkId))) await endProcess(process);
    }
  }

  private async observe(id: string, externalIp: string | null): Promise<ObservedRouter> {
    const name = routerNamespace(this.host, id);
    if (!(await namespaceExists(this.host, name))) return { id, externalIp, networkIds: [], portIds: [] };
    const links = await readLinks(await namespaceCommand(this.host, name));
    const aliases = (prefix: string) =>
      [...links].flatMap(([link, { alias }]) => (link.startsWith(prefix) && alias ? [alias] : []));
    return { id, externalIp, networkIds: aliases('br'), portIds: aliases('tap') };
  }
}

/** What a router and the edge are made of besides their own: addresses that all share, and what is closed to guests. */
const surroundings = (host: Host, plan: AddressPlan) =>
  JSON.stringify([plan.segment, plan.pool, closedRanges(host, plan)]);

const isFresh = <T>(last: Applied<T> | undefined, what: string): last is Applied<T> =>
  last !== undefined && last.what === what && Date.now() - last.at < TRUSTED_MS;

const recordOf = (host: Host, router: Router): RouterRecord => ({
  networks: router.networks.map(({ id }) => id),
  forwards: host.isolation === 'root' ? [] : wantedForwards(router),
});

const union = (before: RouterRecord, wanted: RouterRecord): RouterRecord => ({
  networks: [...new Set([...before.networks, ...wanted.networks])],
  forwards: [...before.forwards, ...without(wanted.forwards, before.forwards)],
});

function without(forwards: FloatingIpForward[], others: FloatingIpForward[]): FloatingIpForward[] {
  const keys = new Set(others.map(keyOf));
  return forwards.filter((forward) => !keys.has(keyOf(forward)));
}

const keyOf = ({ floatingIp, protocol, port, hostPort }: FloatingIpForward) =>
  `${floatingIp} ${protocol} ${port} ${hostPort}`;
