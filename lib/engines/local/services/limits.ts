import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Host } from '../host';
import { Groups, type LimitKind } from '../sandbox/limits';
import { servicesGroup } from './bundle';

/** What services must be held to by the kernel. */
const LIMITS: readonly LimitKind[] = ['memory', 'pids', 'cpu'];

/**
 * Why this host can't run sandboxed services, with what to do about it; null where it can.
 */
export async function serviceTrouble(host: Host): Promise<string | null> {
  if (host.isolation === 'user') {
    return 'Sandboxed services require root: an ordinary user cannot limit their memory and disk or run them as separate users.';
  }
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
