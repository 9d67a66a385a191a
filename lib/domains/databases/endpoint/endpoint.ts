import { join } from 'node:path';
import { ask, parseStats, type Stat } from '@/lib/domains/loadbalancing/runtime-api';
import { engineOf } from '@/lib/engines/engines';
import { ADMIN_SOCKET, checkedServer, type EndpointFacts, PRIMARY, readServer, SLOTS } from './configuration';

/** An endpoint process: the service with its cluster's id, and the port at which members serve. */
export type Endpoint = { cell: string; id: string; port: number };

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
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    if ((await command(endpoint, `hold ${LONGEST_HOLD_MS}`)) !== undefined) return;
  }
  throw new Error('The endpoint does not answer.');
}

/** Connections that waited go on to the primary. */
export async function release(endpoint: Endpoint): Promise<void> {
  await command(endpoint, 'release');
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
  await command(endpoint, `shutdown sessions server ${PRIMARY}`, ...readers);
}

/** Leads new connections to another primary, and ends those to the former one unless that passes them on. */
export async function repoint(endpoint: Endpoint, address: string, sessions: 'end' | 'stay' = 'end'): Promise<void> {
  await command(
    endpoint,
    `set server ${PRIMARY} addr ${address} port ${endpoint.port}`,
    `set server ${PRIMARY} state ready`,
    ...(sessions === 'end' ? [`shutdown sessions server ${PRIMARY}`] : []),
  );
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

/** Brings the endpoint to its desired state: level-triggered, and nothing where nothing differs. */
export async function settleEndpoint(
  endpoint: Endpoint,
  { primary, members }: EndpointFacts,
  stats: ReadonlyMap<string, Stat>,
): Promise<void> {
  const commands: string[] = [];
  if (primary !== null && stats.get(PRIMARY)?.addr !== `${primary}:${endpoint.port}`) await repoint(endpoint, primary);
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
