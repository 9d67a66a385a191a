import { access, constants, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstanceSpec } from '@/lib/compute/engine';
import type { Host } from '../host';
import { namesIn } from '../record';

const MOUNT = '/sys/fs/cgroup';

type Hierarchy = { version: 1 | 2; parent: string };

/**
 * Where this engine may give guests their share of the processors: the unified hierarchy or the old `cpu` one. null
 * where this user may not, as without root.
 */
export async function cpuHierarchy(host: Host): Promise<Hierarchy | null> {
  if (host.isolation !== 'root') return null;
  const unified = (await readFile(join(MOUNT, 'cgroup.controllers'), 'utf8').catch(() => '')).split(/\s+/);
  const version = unified.includes('cpu') ? 2 : 1;
  const root = version === 2 ? MOUNT : join(MOUNT, 'cpu');
  const writable = await access(join(root, 'cgroup.procs'), constants.W_OK).then(
    () => true,
    () => false,
  );
  return writable ? { version, parent: join(root, `nephele-${host.tag}`) } : null;
}

/** Puts a guest's process under a weight that grows with its vCPUs; a host that refuses runs it without. */
export async function shareProcessors(host: Host, spec: InstanceSpec, pid: number): Promise<void> {
  const hierarchy = await cpuHierarchy(host);
  if (!hierarchy) return;
  const group = join(hierarchy.parent, spec.id);
  try {
    await mkdir(group, { recursive: true });
    if (hierarchy.version === 2) {
      await writeFile(join(MOUNT, 'cgroup.subtree_control'), '+cpu');
      await writeFile(join(hierarchy.parent, 'cgroup.subtree_control'), '+cpu');
      await writeFile(join(group, 'cpu.weight'), String(Math.min(10_000, 100 * spec.vcpus)));
    } else {
      await writeFile(join(group, 'cpu.shares'), String(1024 * spec.vcpus));
    }
    await writeFile(join(group, 'cgroup.procs'), String(pid));
  } catch {
    // Shares are a comfort between guests; a guest without one is better than none.
  }
}

/** Removes the group of a guest that is gone, and the engine's own with the last of them. */
export async function dropShare(host: Host, instanceId: string): Promise<void> {
  const hierarchy = await cpuHierarchy(host);
  if (!hierarchy) return;
  await rmdir(join(hierarchy.parent, instanceId)).catch(() => {});
  const left = await namesIn(hierarchy.parent);
  if (!left.some((name) => name.includes('-'))) await rmdir(hierarchy.parent).catch(() => {});
}
