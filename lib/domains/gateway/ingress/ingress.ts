import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { oneAtATime, signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { reportIncident, resolveIncident } from '@/lib/core/incidents/incident';
import { FunctionFront } from '@/lib/domains/functions/http/front';
import { functionSocket } from '@/lib/domains/functions/http/sockets';
import { ask, type Stat } from '@/lib/domains/loadbalancing/runtime-api';
import { settleTls } from '@/lib/domains/loadbalancing/runtime-certificates';
import type { EntryTarget } from '@/lib/domains/network/engine';
import { ensureWired } from '@/lib/domains/network/topology';
import { engineOf } from '@/lib/engines/engines';
import { detailOf, EngineError, reasonOf } from '@/lib/engines/error';
import { log } from '@/lib/log';
import {
  ADMIN_SOCKET,
  LAST_CONNECTION_MINUTES,
  type ServedRoute,
  STRUCTURE,
  serverPath,
  smallestWeights,
  type Target,
} from '../configuration';
import type { RouteStatus } from '../schema';
import { NOT_SERVED, NOT_VERIFIED } from '../service';
import type { Health } from '../view';
import { Addresses } from './addresses';
import { type Changes, changesOf, requestsOf } from './changes';
import { BackendPool } from './pool';
import {
  type CellRoute,
  functionsAmong,
  hasChallenges,
  hasFunctionUrls,
  type Place,
  placesOf,
  routersOf,
  routesOfCell,
  routesVersion,
} from './routes';
import { type Running, readRunning } from './running';
import { bareSpec, filesOf, placesHere } from './spec';

/** What was made sure of is made sure of again after this long. */
const TRUSTED_MS = 10_000;
/** After a reload, the new process answers within this. */
const RELOAD_MS = 20;
const RELOAD_TRIES = 150;
/** So often what a process lacks is sent to it; what it refuses then is tried again at the next look. */
const CHANGE_TRIES = 5;
/** Certificates that a process did not take, such as one that was just starting, are tried again after this. */
const CERTIFICATES_AGAIN_MS = 200;

/** How long a killed process takes to come back. */
const RETURN_MS = 500;
/** How long it may take to start. */
const PATIENCE_MS = 60_000;

/** Why a route is not active in its first seconds. */
const NOT_CHECKED = 'Its backends have not been checked yet.';

const INCIDENT = 'gateway';

/** Whether the gateway runs with what it should have. */
type Condition = { state: 'ready'; reason: null } | { state: 'waiting' | 'failed'; reason: string };
const READY: Condition = { state: 'ready', reason: null };

type ServerFacts = { name: string; weight: number; target: Target | null; reason: string | null };
type Wanted = { route: CellRoute; served: ServedRoute; servers: ServerFacts[] };

/** The gateway's process of a cell and everything that it serves. */
export class Ingress {
  private readonly addresses = new Addresses();
  private readonly pool = new BackendPool();
  /** Servers that wait for the end of their connections, by path, with the time when they were taken away. */
  private leaving = new Map<string, number>();
  private readonly entered = new Map<string, { targets: string; at: number; sockets: Map<string, string> }>();
  private version = '';
  private waitingSince: number | undefined;
  private hasLooked = false;
  private applied = { files: '', structure: '', at: Number.NEGATIVE_INFINITY };
  private readonly look = oneAtATime(() => this.settle());
  private readonly functions: FunctionFront;

  constructor(private readonly cell: string) {
    this.functions = new FunctionFront(cell);
  }

  /** Makes the gateway serve what the rows say. */
  settled(): Promise<void> {
    this.look.fire();
    return this.look.idle();
  }

  /** The same, if a route has changed. */
  async changed(): Promise<void> {
    if ((await routesVersion(this.cell)) !== this.version) await this.settled();
  }

  private async settle(): Promise<void> {
    const version = await routesVersion(this.cell);
    const routes = await routesOfCell(this.cell);
    const isNeeded = routes.length > 0 || (await hasChallenges()) || (await hasFunctionUrls(this.cell));
    const id = await serviceOf(this.cell, isNeeded);
    if (id === undefined) return;
    const planned = await this.plan(routes.filter(({ is_owned }) => is_owned));
    if (isNeeded) await this.openFunctions(id, routes);
    const { size, numbers } = this.pool.allot(
      planned.flatMap(({ route }) => (needsPool(route) ? [route.id] : [])),
      isNeeded ? await readRunning(this.socket(id)) : undefined,
    );
    const wanted = planned.map((one) => ({ ...one, served: servedRoute(one, numbers.get(one.route.id) ?? null) }));
    const condition = isNeeded ? await this.ensure(id, size, wanted) : await this.stop(id);
    this.version = version;
    await this.report(id, condition);
    await this.bringUpToDate(id, routes, wanted, condition);
  }

  /** Where the gateway reaches functions, before it is told of them. */
  private async openFunctions(id: string, routes: readonly CellRoute[]): Promise<void> {
    const ids = routes.flatMap(({ backends }) => backends.flatMap(({ function_id }) => function_id ?? []));
    try {
      const folder = engineOf(this.cell).services.socketFolder(id);
      await mkdir(folder, { recursive: true });
      await this.functions.ensure(folder, [...new Set(ids)]);
    } catch (error) {
      log.warn({ err: error }, 'the gateway could not be connected with functions');
    }
  }

  /** Ends what this process serves itself. */
  close(): Promise<void> {
    return this.functions.close();
  }

  /** An incident for operators when the gateway cannot run, or does not start for long. */
  private async report(id: string, { state, reason }: Condition): Promise<void> {
    if (state === 'ready') {
      this.waitingSince = undefined;
      return resolveIncident(INCIDENT);
    }
    this.waitingSince ??= performance.now();
    if (state === 'waiting' && performance.now() - this.waitingSince < PATIENCE_MS) return;
    await reportIncident({ key: INCIDENT, project_id: null, resource: { type: 'gateway', id }, reason });
  }

  private async plan(routes: CellRoute[]): Promise<Omit<Wanted, 'served'>[]> {
    const ids = routes.flatMap(({ backends }) =>
      backends.flatMap(({ instance_id, load_balancer_id }) => instance_id ?? load_balancer_id ?? []),
    );
    const places = new Map((await placesOf(this.cell, ids)).map((place) => [place.id, place]));
    const sockets = await this.enter(routes, places);
    const functions = await functionsAmong(
      routes.flatMap(({ backends }) => backends.flatMap(({ function_id }) => function_id ?? [])),
    );
    const hosts = new Set(routes.flatMap(({ backends }) => backends.flatMap(({ url }) => (url ? [hostOf(url)] : []))));
    const before = new Map(
      routes.flatMap(({ backends, health }) =>
        backends.flatMap(({ url, name }): [string, string][] => {
          const ip = health[name]?.ip;
          return url && ip ? [[hostOf(url), ip]] : [];
        }),
      ),
    );
    const resolved = await this.addresses.resolve(hosts, before);
    return routes.map((route) => ({
      route,
      servers: route.backends.map(
        ({ name, weight, url, instance_id, load_balancer_id, function_id, port }): ServerFacts => {
          if (function_id) {
            if (functions.get(function_id) !== route.project_id)
              return { name, weight, target: null, reason: 'The function does not exist any more.' };
            const path = `/run/service/${functionSocket(function_id)}`;
            return { name, weight, target: { kind: 'socket', path }, reason: null };
          }
          if (url !== null) {
            const { hostname, protocol, port: given } = new URL(url);
            const found = resolved.get(hostOf(url));
            if (!found || found.ip === null)
              return { name, weight, target: null, reason: found?.reason ?? 'Not resolved yet.' };
            const isSecure = protocol === 'https:';
            const number = given === '' ? (isSecure ? 443 : 80) : Number(given);
            return {
              name,
              weight,
              target: { kind: 'address', ip: found.ip, port: number, verify: isSecure ? hostname : null },
              reason: null,
            };
          }
          const place = places.get(instance_id ?? load_balancer_id ?? '');
          if (!place || place.project_id !== route.project_id) {
            const what = instance_id === null ? 'load balancer' : 'instance';
            return { name, weight, target: null, reason: `The ${what} does not exist any more.` };
          }
          const path = sockets.get(entryKey(place, port));
          return path === undefined
            ? { name, weight, target: null, reason: 'The network of the backend is not ready.' }
            : { name, weight, target: { kind: 'socket', path }, reason: null };
        },
      ),
    }));
  }

  /** Opens the ways into the networks of all private backends. @returns sockets by router, address and port */
  private async enter(routes: readonly CellRoute[], places: ReadonlyMap<string, Place>): Promise<Map<string, string>> {
    const targets = new Map<string, { project_id: string; wanted: Map<string, EntryTarget> }>();
    for (const { project_id, backends } of routes) {
      for (const { instance_id, load_balancer_id, port } of backends) {
        const place = places.get(instance_id ?? load_balancer_id ?? '');
        if (!place || port === null || place.project_id !== project_id) continue;
        const router = targets.get(place.router_id) ?? { project_id, wanted: new Map<string, EntryTarget>() };
        router.wanted.set(entryKey(place, port), { address: place.ip, port });
        targets.set(place.router_id, router);
      }
    }
    // Ways that an earlier worker has opened are closed by the first look of this one.
    const known = this.hasLooked ? [...this.entered.keys()] : await routersOf(this.cell);
    for (const router of known) if (!targets.has(router)) await this.leave(router);
    this.hasLooked = true;
    await Promise.all(
      [...targets].map(([router, one]) => this.enterOne(router, one.project_id, [...one.wanted.values()])),
    );
    return new Map([...this.entered.values()].flatMap(({ sockets }) => [...sockets]));
  }

  private async enterOne(router: string, projectId: string, wanted: EntryTarget[]): Promise<void> {
    const targets = JSON.stringify(wanted);
    const known = this.entered.get(router);
    if (known?.targets === targets && performance.now() - known.at < TRUSTED_MS) return;
    try {
      await ensureWired(this.cell, projectId);
      const entries = await engineOf(this.cell).network.ensureEntries(router, wanted);
      const sockets = new Map(
        entries.map((entry) => [entryKey({ router_id: router, ip: entry.address }, entry.port), entry.socket]),
      );
      this.entered.set(router, { targets, at: performance.now(), sockets });
    } catch (error) {
      log.warn({ err: error, router }, 'the gateway could not enter a network');
    }
  }

  private async leave(router: string): Promise<void> {
    this.entered.delete(router);
    await engineOf(this.cell)
      .network.ensureEntries(router, [])
      .catch((error) => log.warn({ err: error, router }, 'the gateway could not leave a network'));
  }

  private async ensure(id: string, poolSize: number, wanted: readonly Wanted[]): Promise<Condition> {
    const { services } = engineOf(this.cell);
    const owners = new Map(wanted.map(({ route }) => [route.id, route.project_id]));
    try {
      const files = await filesOf(
        id,
        poolSize,
        wanted.map(({ served }) => served),
        owners,
      );
      const text = JSON.stringify(files);
      const isSame = this.applied.files === text && Number.isFinite(this.applied.at);
      if (isSame && performance.now() - this.applied.at < TRUSTED_MS) return READY;
      const taken = await this.portTaken(id);
      if (taken !== null) return { state: 'failed', reason: taken };
      const answer = await services.ensureService(bareSpec(id, 'running', files));
      if (!answer.settled) {
        setTimeout(() => this.look.fire(), answer.again_ms).unref();
        return { state: 'waiting', reason: `The gateway is not ready: ${answer.waits_for}.` };
      }
      const isServed = isSame || (await settleTls(this.socket(id), files));
      if (!isServed) setTimeout(() => this.look.fire(), CERTIFICATES_AGAIN_MS).unref();
      const structure = files.find(({ path }) => path === STRUCTURE)?.content ?? '';
      this.applied = { files: text, structure, at: isServed ? performance.now() : Number.NEGATIVE_INFINITY };
      return READY;
    } catch (error) {
      log.warn({ err: detailOf(error) }, 'the gateway could not be made what it should be');
      const reason = error instanceof EngineError ? reasonOf(error) : 'The gateway could not be started.';
      return { state: 'failed', reason };
    }
  }

  /** Why the gateway cannot listen; null when it can, or does. */
  private async portTaken(id: string): Promise<string | null> {
    const answers = async () => (await ask(this.socket(id), ['show info'])) !== undefined;
    if (await answers()) return null;
    const taken = await takenPort();
    if (taken === null) return null;
    // A process that was killed may just have come back, and hold the port itself.
    await new Promise((resolve) => setTimeout(resolve, RETURN_MS));
    return (await answers()) ? null : taken;
  }

  private async stop(id: string): Promise<Condition> {
    if (this.applied.files === '' && performance.now() - this.applied.at < TRUSTED_MS) return READY;
    await engineOf(this.cell).services.ensureService(bareSpec(id, 'stopped'));
    this.applied = { files: '', structure: '', at: performance.now() };
    return READY;
  }

  private socket(id: string): string {
    return join(engineOf(this.cell).services.socketFolder(id), ADMIN_SOCKET);
  }

  /** Brings the changes into the running process, and writes down what each route has. */
  private async bringUpToDate(
    id: string,
    routes: readonly CellRoute[],
    wanted: readonly Wanted[],
    condition: Condition,
  ): Promise<void> {
    const stats =
      condition.state === 'ready' && this.applied.structure !== ''
        ? await this.settledStats(id, wanted)
        : new Map<string, Stat>();
    const served = new Map(wanted.map((one) => [one.route.id, one]));
    const states = routes.map((route) => stateOf(route, served.get(route.id), stats, condition));
    const changes = states.filter((state, index) => {
      const before = routes[index];
      return before && !isDeepStrictEqual(state, pick(before));
    });
    if (changes.length === 0) return;
    const changed = await execute(sql`
      WITH told AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        AS t (id uuid, project_id uuid, status text, status_reason text, health jsonb, revision int, served_revision int)
      ), noted AS (
        UPDATE gateway_routes r SET status = told.status, status_reason = told.status_reason, health = told.health,
          served_revision = greatest(r.served_revision, told.served_revision)
        FROM told WHERE r.id = told.id AND r.revision = told.revision RETURNING r.id, r.project_id
      )
      ${hintInsert({ project_id: raw('project_id'), topic: 'gateway_route', resource_id: raw('id::text') }, raw('noted'))}`);
    if (changed > 0) signalChange();
  }

  /** Statistics of a process that serves all that it should; after a reload it takes a moment. */
  private async settledStats(id: string, wanted: readonly Wanted[]): Promise<ReadonlyMap<string, Stat>> {
    const routes = wanted.map(({ served }) => served);
    const socket = this.socket(id);
    let running: Running | undefined;
    let changes: Changes | undefined;
    for (let waits = 0, tries = 0; waits < RELOAD_TRIES && tries < CHANGE_TRIES; ) {
      const found = await readRunning(socket);
      if (found?.structure === this.applied.structure) {
        running = found;
        changes = changesOf(found, routes);
        if (changes.isConflicting) {
          // What it serves was not known when backends were chosen. The next look knows.
          setTimeout(() => this.look.fire(), RELOAD_MS).unref();
          return found.servers;
        }
        if (changes.needed.length === 0 && !changes.isImpossible) break;
        const answers: (string | undefined)[] = [];
        for (const request of requestsOf(changes.needed)) answers.push(await ask(socket, request));
        tries += 1;
        if (tries === CHANGE_TRIES)
          log.warn(
            { commands: changes.needed.slice(0, 10), answers: answers.slice(0, 10) },
            'the gateway did not take a change',
          );
      } else {
        waits += 1;
        await new Promise((resolve) => setTimeout(resolve, RELOAD_MS));
      }
    }
    if (changes) await this.takeAway(socket, changes);
    return running?.servers ?? new Map();
  }

  /** Removes servers that have no connections any more; those of others are ended after a while. */
  private async takeAway(socket: string, { left, leftovers }: Changes): Promise<void> {
    const at = performance.now();
    this.leaving = new Map(left.map((path) => [path, this.leaving.get(path) ?? at]));
    const ends = [...this.leaving]
      .filter(([, since]) => at - since > LAST_CONNECTION_MINUTES * 60_000)
      .map(([path]) => `shutdown sessions server ${path}`);
    for (const request of requestsOf([...ends, ...leftovers])) await ask(socket, request);
  }
}

const hostOf = (url: string) => new URL(url).hostname;
const entryKey = ({ router_id, ip }: Pick<Place, 'router_id' | 'ip'>, port: number | null) =>
  `${router_id} ${ip} ${port}`;

/** Cookies need servers that are there from the start (HAProxy 2.6): such a route has a backend of its own. */
const needsPool = ({ sticky, is_suspended }: CellRoute) => !sticky && !is_suspended;

function servedRoute({ route, servers }: Omit<Wanted, 'served'>, pool: number | null): ServedRoute {
  const weights = smallestWeights(servers.map(({ weight }) => weight));
  return {
    id: route.id,
    host: route.host,
    path_prefix: route.path_prefix,
    strip_prefix: route.strip_prefix,
    request_timeout_s: route.request_timeout_s,
    sticky: route.sticky,
    is_suspended: route.is_suspended,
    certificate_id: route.tls_certificate_id,
    pool,
    backends:
      pool === null && !route.sticky
        ? []
        : servers.map(({ name, target }, index) => ({ name, weight: weights[index] ?? 0, target })),
  };
}

type Observed = Health[string];
type State = Pick<
  CellRoute,
  'id' | 'project_id' | 'status' | 'status_reason' | 'health' | 'revision' | 'served_revision'
>;

const pick = ({ id, project_id, status, status_reason, health, revision, served_revision }: CellRoute): State => ({
  id,
  project_id,
  status,
  status_reason,
  health,
  revision,
  served_revision,
});

/** What a route has, from what the process says. */
function stateOf(
  route: CellRoute,
  wanted: Wanted | undefined,
  stats: ReadonlyMap<string, Stat>,
  condition: Condition,
): State {
  const { id, project_id, revision, served_revision } = route;
  const state = (status: RouteStatus, reason: string | null, health: Health = {}, served = served_revision): State => ({
    id,
    project_id,
    status,
    status_reason: reason,
    health,
    revision,
    served_revision: served,
  });
  if (!wanted) {
    const { host_refusal } = route;
    return host_refusal === null ? state('pending_verification', NOT_VERIFIED) : state('error', host_refusal);
  }
  if (condition.state === 'failed') return state('error', condition.reason);
  if (condition.state === 'waiting') return state('degraded', condition.reason, route.health);
  if (route.is_suspended)
    return state('degraded', 'The project is suspended: requests are answered with 503.', {}, revision);
  const statOf = (server: ServerFacts) => stats.get(serverPath(wanted.served, server));
  const isServed = wanted.servers.every((server) => server.target === null || statOf(server) !== undefined);
  if (!isServed) return state('degraded', NOT_SERVED, route.health);
  const health = Object.fromEntries(
    wanted.servers.map((server) => [server.name, healthOf(server, statOf(server), route.health[server.name])]),
  );
  const used = wanted.servers.filter(({ weight }) => weight > 0);
  const down = used.filter(({ name }) => health[name]?.status === 'down');
  const reason = down.map(({ name }) => `${name}: ${health[name]?.reason ?? 'down'}`).join(' ');
  if (down.length === 0) {
    const isChecked = used.every(({ name }) => health[name]?.status === 'up');
    return isChecked ? state('active', null, health, revision) : state('degraded', NOT_CHECKED, health, revision);
  }
  return down.length === used.length
    ? state('error', `No backend is up. ${reason}`, health, revision)
    : state('degraded', reason, health, revision);
}

/** @param before as observed by the process before a reload, which goes on until the first check of this one */
function healthOf({ target, reason }: ServerFacts, stat: Stat | undefined, before: Observed | undefined): Observed {
  if (target === null || !stat) return { status: 'down', reason };
  const ip = target.kind === 'address' ? { ip: target.ip } : {};
  if (stat.check_status === 'INI')
    return { status: before?.status ?? 'unknown', reason: before?.reason ?? null, ...ip };
  if (stat.status?.startsWith('UP')) return { status: 'up', reason: null, ...ip };
  return { status: 'down', reason: reasons[stat.check_status ?? ''] ?? 'It does not accept connections.', ...ip };
}

/** By HAProxy's word for the result of a check. */
const reasons: Readonly<Record<string, string>> = {
  L4TOUT: 'It did not respond in time.',
  L4CON: 'It refused the connection.',
  L6TOUT: 'It did not complete the TLS handshake in time.',
  L6RSP: 'Its TLS certificate is not valid for its host.',
  SOCKERR: 'It does not accept connections.',
};

/** The id of a cell's gateway service. @param isNeeded whether to allot one */
async function serviceOf(cell: string, isNeeded: boolean): Promise<string | undefined> {
  const find = () =>
    queryOne<{ service_id: string }>(sql`SELECT service_id FROM gateway_ingresses WHERE cell_id = ${cell}::text`);
  const found = await find();
  if (found || !isNeeded) return found?.service_id;
  await execute(sql`INSERT INTO gateway_ingresses (cell_id, service_id)
    SELECT ${cell}::text, ${newId()}::uuid FROM cells WHERE id = ${cell}::text ON CONFLICT DO NOTHING`);
  return (await find())?.service_id;
}

/** Why the gateway can't listen; null when it can. */
async function takenPort(): Promise<string | null> {
  const { host, httpPort, httpsPort } = placesHere();
  const settings = { [httpPort]: 'GATEWAY_HTTP_PORT', [httpsPort]: 'GATEWAY_HTTPS_PORT' };
  for (const port of [httpPort, httpsPort]) {
    const code = await listenError(host, port);
    const setting = settings[port];
    if (code === 'EADDRINUSE') return `Port ${port} of the host is taken by another program. Set ${setting}.`;
    if (code === 'EACCES') return `This user may not listen at port ${port}. Set ${setting} to a port from 1024.`;
  }
  return null;
}

const listenError = (host: string, port: number) =>
  new Promise<string | null>((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
