import { join } from 'node:path';
import { ask, parseStats, type Stat } from '@/lib/domains/loadbalancing/runtime-api';
import { engineOf } from '@/lib/engines/engines';
import { PORT } from '../postgres/settings-file';
import {
  ADMIN_SOCKET,
  checkedServer,
  type EndpointFacts,
  FRONTENDS,
  MAXIMUM_CONNECTIONS,
  PRIMARY,
  readServer,
  SLOTS,
} from './configuration';

/** An endpoint process: the service with its cluster's id. */
export type Endpoint = { cell: string; id: string };

const command = (endpoint: Endpoint, ...commands: string[]) =>
  ask(join(engineOf(endpoint.cell).services.socketFolder(endpoint.id), ADMIN_SOCKET), commands);

/** Holds of this process, with the moment at which each ends by itself: nobody waits for a worker that failed. */
const holds = new Map<string, number>();
const LONGEST_HOLD_MS = 20_000;

export const isHeld = (id: string): boolean => (holds.get(id) ?? 0) > performance.now();

const limit = (most: number) => FRONTENDS.map((name) => `set maxconn frontend ${name} ${most}`);

/**
 * New connections wait until `release`, instead of being refused; open ones go on. Ends by itself after 20 seconds.
 * @throws when the endpoint does not answer
 */
export async function hold(endpoint: Endpoint): Promise<void> {
  holds.set(endpoint.id, performance.now() + LONGEST_HOLD_MS);
  // With as many connections as it may have, a frontend leaves new ones in the kernel's queue.
  if (
    (await command(endpoint, ...limit(1), 'set maxconn frontend clients 0', 'set maxconn frontend readers 0')) ===
    undefined
  ) {
    holds.delete(endpoint.id);
    throw new Error('the endpoint does not answer');
  }
}

/** Connections that waited go on to the primary. */
export async function release(endpoint: Endpoint): Promise<void> {
  holds.delete(endpoint.id);
  await command(endpoint, ...limit(MAXIMUM_CONNECTIONS));
}

/** Ends all connections through the endpoint, at once. */
export async function endSessions(endpoint: Endpoint): Promise<void> {
  const readers = Array.from({ length: SLOTS }, (_, index) => `shutdown sessions server ${readServer(index + 1)}`);
  await command(endpoint, `shutdown sessions server ${PRIMARY}`, ...readers);
}

/** Leads new connections to another primary, and ends those to the former one. */
export async function repoint(endpoint: Endpoint, address: string): Promise<void> {
  await command(
    endpoint,
    `set server ${PRIMARY} addr ${address} port ${PORT}`,
    `set server ${PRIMARY} state ready`,
    `shutdown sessions server ${PRIMARY}`,
  );
}

/** What the endpoint knows; undefined when it does not answer. */
export async function endpointStats(endpoint: Endpoint): Promise<ReadonlyMap<string, Stat> | undefined> {
  const answer = await command(endpoint, 'show stat');
  const stats = answer === undefined ? [] : parseStats(answer);
  return stats.length > 0 ? new Map(stats.map((stat) => [`${stat.pxname}/${stat.svname}`, stat])) : undefined;
}

/** Whether the endpoint reaches a member; undefined where it does not know it yet. */
export function reaches(stats: ReadonlyMap<string, Stat>, address: string): boolean | undefined {
  for (let slot = 1; slot <= SLOTS; slot += 1) {
    const stat = stats.get(checkedServer(slot));
    if (stat?.addr === `${address}:${PORT}` && !stat.status?.startsWith('MAINT')) return stat.status?.startsWith('UP');
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
  if (primary !== null && stats.get(PRIMARY)?.addr !== `${primary}:${PORT}`) await repoint(endpoint, primary);
  for (let slot = 1; slot <= SLOTS; slot += 1) {
    const member = members[slot - 1];
    commands.push(...serverChanges(checkedServer(slot), member?.address, stats.get(checkedServer(slot))));
    const reads = member?.reads ? member.address : undefined;
    commands.push(...serverChanges(readServer(slot), reads, stats.get(readServer(slot))));
  }
  const isLimited = Number(stats.get('clients/FRONTEND')?.slim) !== MAXIMUM_CONNECTIONS;
  // A hold that nobody is left to end.
  if (isLimited && !isHeld(endpoint.id)) commands.push(...limit(MAXIMUM_CONNECTIONS));
  if (commands.length > 0) await command(endpoint, ...commands);
}

function serverChanges(name: string, address: string | undefined, stat: Stat | undefined): string[] {
  const isOff = stat?.status?.startsWith('MAINT') ?? false;
  if (address === undefined) return isOff ? [] : [`set server ${name} state maint`];
  return [
    ...(stat?.addr === `${address}:${PORT}` ? [] : [`set server ${name} addr ${address} port ${PORT}`]),
    ...(isOff ? [`set server ${name} state ready`] : []),
  ];
}
