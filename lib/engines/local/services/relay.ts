import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_ADDRESS } from '@/lib/service-address';
import type { Host } from '../host';
import { changeLinks } from '../network/links';
import { createNamespace, isInNamespace, namespaceCommand, releaseHolder, withHolder } from '../network/namespaces';
import { listensAt, servicePlaces, startRelay } from '../network/relay';
import { rememberedRouters } from '../network/router-record';
import { endProcess, findProcess } from '../processes';
import { removePath } from '../record';
import { serviceNamespaces } from './cable';
import { egressSocket, serviceDirectory, serviceNamespace } from './service-record';

/** Where a service finds its proxy, and the platform. */
const PLACES = ['127.0.0.1:3128', ...servicePlaces];

const logFileOf = (host: Host, id: string) => join(serviceDirectory(host, id), 'relay.log');

/**
 * Opens the way out of a service: a small process in its network namespace, outside of everything else of it, that leads
 * 127.0.0.1:3128 and the service address to a socket. It outlives restarts of the service.
 */
export function ensureRelay(host: Host, id: string): Promise<void> {
  return withHolder(host, async () => {
    const name = serviceNamespace(host, id);
    const isThere = (await serviceNamespaces(host)).includes(name);
    const running = findProcess(host, 'relay', id);
    const isCurrent = running && isThere && listensAt(running.pid, PLACES);
    if (isCurrent && (await isInNamespace(host, name, running.pid))) return;
    if (running) await endProcess(running);
    if (!isThere) await createNamespace(host, name);
    const inside = await namespaceCommand(host, name);
    await changeLinks(inside, ['link set lo up', `address replace ${SERVICE_ADDRESS}/32 dev lo scope link`]);
    const logFile = logFileOf(host, id);
    startRelay(host, { role: 'relay', id, inside, places: PLACES, socket: egressSocket(host, id), logFile });
  });
}

/** Ends the process of a way out, whose socket stays for the next one; no error where there is none. */
export async function stopRelay(host: Host, id: string): Promise<void> {
  // There from before the first start of one: most services have none, and a search reads every process of the host.
  if (!existsSync(logFileOf(host, id))) return;
  const relay = findProcess(host, 'relay', id);
  if (relay) await endProcess(relay);
}

/** Closes the way out for good. */
export async function removeRelay(host: Host, id: string): Promise<void> {
  await stopRelay(host, id);
  await removePath(egressSocket(host, id));
}

/** Without root: lets go of the namespaces that the ways out of services were made in, where no router needs them. */
export async function releaseNamespaces(host: Host): Promise<void> {
  if ((await rememberedRouters(host)).length === 0) await releaseHolder(host);
}
