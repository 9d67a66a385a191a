import { join } from 'node:path';
import { ask, parseStats, type Stat } from '@/lib/domains/loadbalancing/runtime-api';
import { engineOf } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { log } from '@/lib/log';
import { ADMIN_SOCKET, checkedServer, type EndpointFacts, PRIMARY, readServer, SLOTS } from './configuration';

/** An endpoint: the process that is the service with its cluster's id, and the address and port at which clients find it. */
export type Endpoint = {
  cell: string;
  id: string;
  networkId: string;
  address: string;
  /** Also that at which members serve. */
  port: number;
  /** Whether new connections get straight to the primary while nothing holds them (decision 155). */
  straight: boolean;
};

const command = (endpoint: Endpoint, ...commands: string[]) =>
  ask(join(engineOf(endpoint.cell).services.socketFolder(endpoint.id), ADMIN_SOCKET), commands);

/** Whoever holds may fail: the endpoint ends a hold by itself. */
const LONGEST_HOLD_MS = 20_000;
/** Of half a second each. */
const MOST_ATTEMPTS = 4;

/**
 * New connections wait until `release`, for at most 20 seconds, instead of being refused; open ones go on.
 * @throws Error when the endpoint does not answer
 */
export async function hold(endpoint: Endpoint): Promise<void> {
  // The process starts to hold only once connections reach it.
  await lead(endpoint, null);
  await holdProcess(endpoint);
}

async function holdProcess(endpoint: Endpoint): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    if ((await command(endpoint, `hold ${LONGEST_HOLD_MS}`)) !== undefined) return;
  }
  throw new Error('The endpoint does not answer.');
}

/** Connections that waited go on to the primary, through the process; new ones get straight to it where they can. */
export async function release(endpoint: Endpoint): Promise<void> {
  const [stats] = await Promise.all([endpointStats(endpoint), command(endpoint, 'release')]);
  const [primary] = stats?.get(PRIMARY)?.addr?.split(':') ?? [];
  // Otherwise the agent's next look does it.
  if (primary) await settleLead(endpoint, primary);
}

/**
 * Lets new connections wait while something happens, however it ends.
 * @returns for how long they waited, in milliseconds
 * @throws Error when the endpoint does not answer, and what the work throws
 */
export async function whileHeld(endpoint: Endpoint, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await hold(endpoint);
  try {
    await work();
  } finally {
    await release(endpoint);
  }
  return Math.round(performance.now() - began);
}

/** Ends all connections through the endpoint, at once. */
export async function endSessions(endpoint: Endpoint): Promise<void> {
  const readers = Array.from({ length: SLOTS }, (_, index) => `shutdown sessions server ${readServer(index + 1)}`);
  await Promise.all([
    command(endpoint, `shutdown sessions server ${PRIMARY}`, ...readers),
    endStraight(endpoint, null),
  ]);
}

/** Leads new connections to another primary, and ends those to the former one unless that passes them on. */
export async function repoint(endpoint: Endpoint, address: string, sessions: 'end' | 'stay' = 'end'): Promise<void> {
  await Promise.all([
    command(
      endpoint,
      `set server ${PRIMARY} addr ${address} port ${endpoint.port}`,
      `set server ${PRIMARY} state ready`,
      ...(sessions === 'end' ? [`shutdown sessions server ${PRIMARY}`] : []),
    ),
    sessions === 'end' ? endStraight(endpoint, address) : undefined,
  ]);
}

/** For how long it is taken to be so that new connections are led where this process has led them. */
const TRUSTED_MS = 60_000;

/** Where this process has led new connections last, by endpoint. */
const led = new Map<string, { to: string | null; at: number }>();

/** Leads new connections straight to a member, or to the endpoint's process. @throws EngineError */
async function lead(endpoint: Endpoint, to: string | null): Promise<void> {
  if (!endpoint.straight) return;
  led.delete(endpoint.id);
  await engineOf(endpoint.cell).network.redirect(endpoint, to);
  led.set(endpoint.id, { to, at: Date.now() });
}

/** The same where they may be led elsewhere, without an error: the process serves them meanwhile, and the next look tries again. */
async function settleLead(endpoint: Endpoint, to: string | null): Promise<void> {
  const last = led.get(endpoint.id);
  if (!endpoint.straight || (last?.to === to && Date.now() - last.at < TRUSTED_MS)) return;
  try {
    // Somebody else may hold them. An endpoint of an earlier release does not say.
    if (to !== null && (await command(endpoint, 'held'))?.trim() !== 'no') return;
    await lead(endpoint, to);
    if (to !== null) await endStraight(endpoint, to);
  } catch (error) {
    log.warn({ cluster: endpoint.id, error }, 'connections could not be led straight to the primary');
  }
}

/** Ends connections that were led straight to another member than `keep`. A fail-over must not fail with it. */
async function endStraight(endpoint: Endpoint, keep: string | null): Promise<void> {
  if (!endpoint.straight) return;
  await engineOf(endpoint.cell)
    .network.endRedirected(endpoint, keep)
    .catch((error) => log.warn({ cluster: endpoint.id, error }, 'connections to a former primary could not be ended'));
}

/** Before the endpoint's address becomes free: another holder would lose its connections to a member. */
export async function forgetEndpoint(endpoint: Endpoint): Promise<void> {
  try {
    await lead(endpoint, null);
  } catch (error) {
    // What led there has gone with the network.
    if (!(error instanceof EngineError && error.code === 'NOT_FOUND')) throw error;
  }
  led.delete(endpoint.id);
}

/** What the endpoint knows; undefined when it does not answer. */
export async function endpointStats(endpoint: Endpoint): Promise<ReadonlyMap<string, Stat> | undefined> {
  const answer = await command(endpoint, 'show stat');
  const stats = answer === undefined ? [] : parseStats(answer);
  return stats.length > 0 ? new Map(stats.map((stat) => [`${stat.pxname}/${stat.svname}`, stat])) : undefined;
}

/** Whether the endpoint reaches a member; undefined where it does not know it yet. */
export function reaches({ port }: Endpoint, stats: ReadonlyMap<string, Stat>, address: string): boolean | undefined {
  for (let slot = 1; slot <= SLOTS; slot += 1) {
    const stat = stats.get(checkedServer(slot));
    if (stat?.addr === `${address}:${port}` && !stat.status?.startsWith('MAINT')) return stat.status?.startsWith('UP');
  }
  return undefined;
}

/**
 * Brings the endpoint to its desired state: level-triggered, and nothing where nothing differs.
 * @param serves whether the primary takes connections: until it does, those of its clients wait for it at the process
 */
export async function settleEndpoint(
  endpoint: Endpoint,
  { primary, members }: EndpointFacts,
  stats: ReadonlyMap<string, Stat>,
  serves: boolean,
): Promise<void> {
  const commands: string[] = [];
  const isElsewhere = primary !== null && stats.get(PRIMARY)?.addr !== `${primary}:${endpoint.port}`;
  if (isElsewhere || !serves) await settleLead(endpoint, null);
  if (isElsewhere) await repoint(endpoint, primary);
  if (primary !== null && serves) await settleLead(endpoint, primary);
  for (let slot = 1; slot <= SLOTS; slot += 1) {
    const member = members[slot - 1];
    commands.push(...serverChanges(endpoint, checkedServer(slot), member?.address, stats.get(checkedServer(slot))));
    const reads = member?.reads ? member.address : undefined;
    commands.push(...serverChanges(endpoint, readServer(slot), reads, stats.get(readServer(slot))));
  }
  if (commands.length > 0) await command(endpoint, ...commands);
}

function serverChanges(
  { port }: Endpoint,
  name: string,
  address: string | undefined,
  stat: Stat | undefined,
): string[] {
  const isOff = stat?.status?.startsWith('MAINT') ?? false;
  if (address === undefined) return isOff ? [] : [`set server ${name} state maint`];
  return [
    ...(stat?.addr === `${address}:${port}` ? [] : [`set server ${name} addr ${address} port ${port}`]),
    ...(isOff ? [`set server ${name} state ready`] : []),
  ];
}
