import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICE_ADDRESS, servicePorts } from '@/lib/service-address';
import { type Host, shortHash } from '../host';
import { argumentsOf, endProcess, findProcess, type Role, startProcess } from '../processes';
import { hasPython, PYTHON } from '../programs';
import { removePath } from '../record';

const RELAY = join(dirname(fileURLToPath(import.meta.url)), 'relay.py');

/** It needs no privilege of root but to be the owner of the socket and to listen at low ports. */
const POWERLESS = ['setpriv', '--no-new-privs', '--bounding-set=-all,+net_bind_service', '--inh-caps=-all', '--'];

/** Where the service address is listened at. */
export const servicePlaces = servicePorts.map((port) => `${SERVICE_ADDRESS}:${port}`);

type Relay = {
  role: Role;
  id: string;
  /** Prefix of a command that runs in its network namespace. */
  inside: readonly string[];
  /** Addresses with ports of that namespace. */
  places: readonly string[];
  socket: string;
  logFile: string;
};

/** Starts a small process that leads places of a network namespace to a Unix socket outside of it. */
export function startRelay(host: Host, { role, id, inside, places, socket, logFile }: Relay): void {
  startProcess(host, role, id, [...inside, ...POWERLESS, PYTHON, '-I', '-S', RELAY, socket, ...places], logFile);
}

const ROLE = 'service-address';

/** Where the service address of a router leads. */
export const serviceSocket = (host: Host, routerId: string) => join(host.sockets, `${shortHash(routerId, 16)}.service`);

const logFileOf = (host: Host, routerId: string) =>
  join(host.directory, 'logs', `service-address-${shortHash(routerId, 12)}.log`);

/** Whether a relay listens at these places; one from before an upgrade may listen at others. */
export function listensAt(pid: number, places: readonly string[]): boolean {
  const given = argumentsOf(pid).slice(-places.length - 1);
  // The socket stands before the places.
  return (
    given.length === places.length + 1 &&
    given.slice(1).every((place, index) => place === places[index]) &&
    given[0]?.startsWith('/') === true
  );
}

/** Whether what answers at the service address runs, as far as this host can have it. */
export function answersService(host: Host, routerId: string): boolean {
  if (!hasPython()) return true;
  const relay = findProcess(host, ROLE, routerId);
  return relay !== undefined && listensAt(relay.pid, servicePlaces);
}

/** Has the service address answered in all networks of a router, which have it already. */
export async function ensureServiceRelay(host: Host, routerId: string, inside: readonly string[]): Promise<void> {
  if (answersService(host, routerId)) return;
  const outdated = findProcess(host, ROLE, routerId);
  if (outdated) await endProcess(outdated);
  const [socket, logFile] = [serviceSocket(host, routerId), logFileOf(host, routerId)];
  startRelay(host, { role: ROLE, id: routerId, inside, places: servicePlaces, socket, logFile });
}

/** Ends what answered; no error where nothing did. */
export async function stopServiceRelay(host: Host, routerId: string): Promise<void> {
  const relay = findProcess(host, ROLE, routerId);
  if (relay) await endProcess(relay);
  await removePath(serviceSocket(host, routerId));
  await removePath(logFileOf(host, routerId));
}
