import { release } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { detailOf, EngineError } from '../error';
import { run } from './exec';
import type { Host } from './host';
import { readRecord, writeRecord } from './record';
import { roomCommand } from './sandbox/room';
import { waitFor } from './turns';

/** Every sandbox mounts its root here, each in a mount namespace of its own. */
export const sandboxMountPoint = (host: Host) => join(host.directory, 'sandbox');

/** Prefix that gives a command the right to mount without root, in namespaces of its own with an empty network. */
export const ownNamespaces = ['unshare', '--user', '--map-root-user', '--net', '--'];

/** The same in the network of the host. */
export const ownMounts = ownNamespaces.filter((part) => part !== '--net');

const TRIES = { timeoutMs: 3_000, everyMs: 500 };
const proven = new Set<string>();

/** The kernel that sandboxes worked with. */
const proof = z.object({ kernel: z.string() });
const proofFile = (host: Host) => join(host.directory, 'sandboxes.json');

/** Why processes can't be sandboxed on this host, found by trying several times; null where they can. A success is remembered. */
export async function sandboxTrouble(host: Host): Promise<string | null> {
  if (proven.has(host.tag)) return null;
  let trouble: string | null = null;
  await waitFor(async () => {
    trouble = await attempt(host);
    return trouble === null;
  }, TRIES);
  if (trouble !== null) return trouble;
  proven.add(host.tag);
  await writeRecord(proofFile(host), { kernel: release() });
  return null;
}

async function attempt(host: Host): Promise<string | null> {
  const room = roomCommand({ mountPoint: sandboxMountPoint(host), shares: [], devices: ['/dev/null'] });
  return run([...(host.isolation === 'root' ? [] : ownNamespaces), ...room, 'true']).then(
    () => null,
    (error) => detailOf(error),
  );
}

/**
 * Whether processes are sandboxed on this host. Where they were before, a trial that fails is a failure of the moment.
 * @throws EngineError `ENGINE_ERROR` then, because nothing may run with less protection than it had
 */
export async function isSandboxing(host: Host): Promise<boolean> {
  const trouble = await sandboxTrouble(host);
  if (trouble === null) return true;
  if ((await readRecord(proofFile(host), proof))?.kernel !== release()) return false;
  throw new EngineError('ENGINE_ERROR', 'The sandbox of the guest could not be set up on the host.', {
    detail: `Sandboxes worked here before, so nothing runs without one: ${trouble}. If this host can no longer have them, delete ${proofFile(host)}.`,
  });
}
