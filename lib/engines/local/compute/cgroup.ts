import { access, constants, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstanceSpec } from '@/lib/compute/engine';
import { EngineError } from '../../error';
import type { Host } from '../host';
import { namesIn } from '../record';
import { Turns, waitFor } from '../turns';

const MOUNT = '/sys/fs/cgroup';
const EMPTIED_MS = 10_000;

/** The engine's own group comes and goes with those of its guests. */
const turns = new Turns();

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

/**
 * Makes a group with a weight that grows with the guest's vCPUs.
 * @returns prefix of a command that runs in it from its first instruction on, so that no crash leaves a guest outside; a
 * host that refuses runs it without
 */
export async function sharedCommand(host: Host, spec: InstanceSpec): Promise<string[]> {
  const hierarchy = await cpuHierarchy(host);
  if (!hierarchy) return [];
  const group = join(hierarchy.parent, spec.id);
  try {
    await turns.take(hierarchy.parent, () => mkdir(group, { recursive: true }));
    if (hierarchy.version === 2) {
      await writeFile(join(MOUNT, 'cgroup.subtree_control'), '+cpu');
      await writeFile(join(hierarchy.parent, 'cgroup.subtree_control'), '+cpu');
      await writeFile(join(group, 'cpu.weight'), String(Math.min(10_000, 100 * spec.vcpus)));
    } else {
      await writeFile(join(group, 'cpu.shares'), String(1024 * spec.vcpus));
    }
    return ['sh', '-c', '{ echo $$ > "$0"; } 2> /dev/null; exec "$@"', join(group, 'cgroup.procs')];
  } catch {
    // Shares are a comfort between guests; a guest without one is better than none.
    return [];
  }
}

/** Removes the group of a guest that is gone, and the engine's own with the last of them. */
export async function dropShare(host: Host, instanceId: string): Promise<void> {
  const hierarchy = await cpuHierarchy(host);
  if (!hierarchy) return;
  const group = join(hierarchy.parent, instanceId);
  // The kernel lets go of a group a moment after the last of its processes has ended.
  const isGone = await waitFor(() => removedGroup(group), { timeoutMs: EMPTIED_MS, everyMs: 20 });
  if (!isGone) throw new EngineError('ENGINE_ERROR', `${group} still contains processes.`);
  // Fails while other guests have theirs in it.
  await turns.take(hierarchy.parent, () => rmdir(hierarchy.parent)).catch(() => {});
}

/** Names of the groups of this engine's guests. */
export async function shares(host: Host): Promise<string[]> {
  const hierarchy = await cpuHierarchy(host);
  return hierarchy ? (await namesIn(hierarchy.parent)).filter((name) => name.includes('-')) : [];
}

/** Whether the group is not there, or not any more. @throws whatever but its processes keeps it */
async function removedGroup(group: string): Promise<boolean> {
  try {
    await rmdir(group);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return true;
    if (code === 'EBUSY') return false;
    throw error;
  }
}
