import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { detailOf } from '../../error';
import { ownNamespaces } from '../confinement';
import { run } from '../exec';
import type { Host } from '../host';
import { Groups, type LimitKind } from '../sandbox/limits';
import { servicesGroup } from './bundle';
import { runtimeCommand } from './sandbox';
import { seccompFilter } from './seccomp';
import { hasSharedMemory, SHARED_MEMORY } from './volatile';

/** What services must be held to by the kernel. */
const LIMITS: readonly LimitKind[] = ['memory', 'pids', 'cpu'];

/**
 * Why this host can't run sandboxed services, with what to do about it; null where it can.
 */
export function serviceTrouble(host: Host): Promise<string | null> {
  return host.isolation === 'root' ? rootTrouble(host) : userTrouble(host);
}

async function rootTrouble(host: Host): Promise<string | null> {
  const kinds = await new Groups(servicesGroup(host)).kinds();
  const lacking = LIMITS.filter((kind) => !kinds.includes(kind));
  if (lacking.length > 0)
    return `This host has no cgroup controllers for ${lacking.join(', ')}, so services cannot be limited.`;
  const loops = await access('/dev/loop-control', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  return loops ? null : 'This host has no loop devices for the disks of services. Run: modprobe loop';
}

/** Tries a sandbox with everything that a service's has. */
async function userTrouble(host: Host): Promise<string | null> {
  if (!(await hasSharedMemory()))
    return `Services keep their secrets in memory, and ${SHARED_MEMORY} is no tmpfs here.`;
  const input = JSON.stringify(seccompFilter(host.isolation));
  return run([...ownNamespaces, ...runtimeCommand(host), 'trial'], { input }).then(
    () => null,
    (error) => `An ordinary user cannot make sandboxes on this host: ${detailOf(error)}`,
  );
}
