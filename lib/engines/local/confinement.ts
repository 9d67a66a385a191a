import { join } from 'node:path';
import { detailOf } from '../error';
import { run } from './exec';
import type { Host } from './host';
import { roomCommand } from './sandbox/room';

/** Every sandbox mounts its root here, each in a mount namespace of its own. */
export const sandboxMountPoint = (host: Host) => join(host.directory, 'sandbox');

/** Prefix that gives a command the right to mount without root, in namespaces of its own with an empty network. */
export const ownNamespaces = ['unshare', '--user', '--map-root-user', '--net', '--'];

const proven = new Set<string>();

/** Why processes can't be sandboxed on this host, found by trying; null where they can. A success is remembered. */
export async function sandboxTrouble(host: Host): Promise<string | null> {
  if (proven.has(host.tag)) return null;
  const room = roomCommand({ mountPoint: sandboxMountPoint(host), shares: [], devices: ['/dev/null'] });
  try {
    await run([...(host.isolation === 'root' ? [] : ownNamespaces), ...room, 'true']);
    proven.add(host.tag);
    return null;
  } catch (error) {
    return detailOf(error);
  }
}
