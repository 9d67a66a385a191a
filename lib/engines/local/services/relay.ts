import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError } from '../../error';
import type { Host } from '../host';
import { changeLinks } from '../network/links';
import { createNamespace, namespaceCommand } from '../network/namespaces';
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
 * @throws EngineError `ENGINE_UNAVAILABLE` without root
 */
export async function ensureRelay(host: Host, id: string): Promise<void> {
  if (host.isolation === 'user') {
    throw new EngineError('ENGINE_UNAVAILABLE', 'Services with access to the internet require root on this host.');
  }
  if (findProcess(host, 'relay', id)) return;
  const name = serviceNamespace(host, id);
  if (!(await serviceNamespaces(host)).includes(name)) await createNamespace(host, name);
  const inside = await namespaceCommand(host, name);
  await changeLinks(inside, ['link set lo up']);
  const command = [...inside, ...POWERLESS, PYTHON, '-I', '-S', RELAY, egressSocket(host, id)];
  startProcess(host, 'relay', id, command, join(serviceDirectory(host, id), 'relay.log'));
}

/** Closes the way out; no error where there is none. */
export async function stopRelay(host: Host, id: string): Promise<void> {
  const relay = findProcess(host, 'relay', id);
  if (relay) await endProcess(relay);
  await removePath(egressSocket(host, id));
}
