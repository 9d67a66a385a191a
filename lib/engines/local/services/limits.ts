import { constants } from 'node:fs';
import { access, mkdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../host';

const GROUPS = '/sys/fs/cgroup';
/** What services are held to by the kernel, and the file that a group with this limit has (cgroup v1). */
const LIMITS = { memory: 'memory.limit_in_bytes', pids: 'pids.max', cpu: 'cpu.cfs_quota_us' };

/**
 * Why this host can't run sandboxed services, with what to do about it; null where it can. Limits are tried, not assumed:
 * where no cgroup is mounted, a folder takes any file and holds nobody to it.
 */
export async function serviceTrouble(host: Host): Promise<string | null> {
  if (host.isolation === 'user') {
    return 'Sandboxed services require root: an ordinary user cannot limit their memory and disk or run them as separate users.';
  }
  const unified = (await readFile(join(GROUPS, 'cgroup.controllers'), 'utf8').catch(() => '')).split(/\s+/);
  const lacking: string[] = [];
  for (const [name, file] of Object.entries(LIMITS)) {
    if (!unified.includes(name) && !(await hasLegacy(host, name, file))) lacking.push(name);
  }
  if (lacking.length > 0)
    return `This host has no cgroup controllers for ${lacking.join(', ')}, so services cannot be limited.`;
  const loops = await access('/dev/loop-control', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  return loops ? null : 'This host has no loop devices for the disks of services. Run: modprobe loop';
}

/** A real controller gives every new group its files. */
async function hasLegacy(host: Host, name: string, file: string): Promise<boolean> {
  const trial = join(GROUPS, name, `nephele-${host.tag}-trial`);
  try {
    await mkdir(trial);
    await access(join(trial, file));
    return true;
  } catch {
    return false;
  } finally {
    await rmdir(trial).catch(() => {});
  }
}
