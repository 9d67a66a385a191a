import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Host } from '../host';
import { changeLinks } from '../network/links';
import { createNamespace, isInNamespace, namespaceCommand, releaseHolder, withHolder } from '../network/namespaces';
import { rememberedRouters } from '../network/router-record';
import { endProcess, findProcess, startProcess } from '../processes';
import { removePath } from '../record';
import { serviceNamespaces } from './cable';
import { PYTHON } from './sandbox';
import { egressSocket, serviceDirectory, serviceNamespace } from './service-record';

const RELAY = join(dirname(fileURLToPath(import.meta.url)), 'relay.py');

/** It needs no privilege of root but to be the owner of the socket. */
const POWERLESS = ['setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--'];

/**
 * Opens the way out of a service: a small process in its network namespace, outside of everything else of it, that leads
 * 127.0.0.1:3128 to a socket. It outlives restarts of the service.
 */
export function ensureRelay(host: Host, id: string): Promise<void> {
  return withHolder(host, async () => {
    const name = serviceNamespace(host, id);
    const isThere = (await serviceNamespaces(host)).includes(name);
    const running = findProcess(host, 'relay', id);
    if (running && isThere && (await isInNamespace(host, name, running.pid))) return;
    if (running) await endProcess(running);
    if (!isThere) await createNamespace(host, name);
    const inside = await namespaceCommand(host, name);
    await changeLinks(inside, ['link set lo up']);
    const command = [...inside, ...POWERLESS, PYTHON, '-I', '-S', RELAY, egressSocket(host, id)];
    startProcess(host, 'relay', id, command, join(serviceDirectory(host, id), 'relay.log'));
  });
}

/** Closes the way out; no error where there is none. */
export async function stopRelay(host: Host, id: string): Promise<void> {
  const relay = findProcess(host, 'relay', id);
  if (relay) await endProcess(relay);
  await removePath(egressSocket(host, id));
}

/** Without root: lets go of the namespaces that the ways out of services were made in, where no router needs them. */
export async function releaseNamespaces(host: Host): Promise<void> {
  if ((await rememberedRouters(host)).length === 0) await releaseHolder(host);
}
