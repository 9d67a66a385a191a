import { existsSync } from 'node:fs';
import { access, constants, mkdir, readFile, rmdir, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../../error';
import { run } from '../exec';
import { namesIn } from '../record';
import { Turns, waitFor } from '../turns';

/** What a group of processes may take of the host. */
export type Limits = {
  /** Its part of busy processors, beside others' parts; 1 is the weight of one processor's worth. */
  cpuWeight: number;
  /** Beyond this the kernel ends a process of the group. */
  memoryBytes: number;
  /** Processes and threads together. */
  processes: number;
};

export type LimitKind = 'cpu' | 'memory' | 'pids';
const KINDS: readonly LimitKind[] = ['cpu', 'memory', 'pids'];

/** A cgroup hierarchy, the unified one or an old one, with the kinds that it can limit here. */
type Hierarchy = { version: 1 | 2; root: string; kinds: LimitKind[] };

const MOUNT = '/sys/fs/cgroup';
/** Types of file systems: a folder that only looks like a hierarchy takes every value and limits nothing. */
const CGROUP_V1 = 0x27e0eb;
const CGROUP_V2 = 0x63677270;
const EMPTIED_MS = 10_000;

/** The parent of all groups comes and goes with them. */
const turns = new Turns();

/** Small enough to be exceeded at once. */
const TRIAL: Limits = { cpuWeight: 2, memoryBytes: 16 * 1024 ** 2, processes: 4 };
const EXCEED = 'dd if=/dev/zero of=/dev/null bs=64M count=1; for n in 1 2 3 4 5 6; do sleep 0.05 & done';

const TRIAL_NAME = 'trial';

/** Parents of groups that were held to all their limits in a trial of this process. */
const proven = new Set<string>();

/** The cgroups of one engine, below a parent of their own. */
export class Groups {
  /** @param parent the parent's name; null: this engine may make none, and every call does nothing */
  constructor(private readonly parent: string | null) {}

  /** What can be limited here: nothing where this user may not, as without root. */
  async kinds(): Promise<LimitKind[]> {
    return (await this.hierarchies()).flatMap(({ kinds }) => kinds);
  }

  /** What the kernel really limits here: a trial exceeds every limit, and the kernel's own counters tell. */
  async held(): Promise<LimitKind[]> {
    const kinds = await this.kinds();
    if (this.parent === null || kinds.length === 0 || proven.has(this.parent)) return kinds;
    await this.dropAbandonedTrials();
    const name = `${TRIAL_NAME}${process.pid}`;
    const [program = '', ...prefix] = await this.command(name, TRIAL);
    if (program === '') return [];
    await run([program, ...prefix, 'sh', '-c', EXCEED]).catch(() => {});
    const found = await Promise.all((await this.hierarchies()).map((hierarchy) => this.heldBy(hierarchy, name)));
    await this.drop(name);
    const held = found.flat();
    if (held.length === KINDS.length) proven.add(this.parent);
    return held;
  }

  /** A process that is killed during its trial leaves the group behind. */
  private async dropAbandonedTrials(): Promise<void> {
    for (const hierarchy of await this.hierarchies()) {
      const names = await namesIn(this.folder(hierarchy));
      const abandoned = names.filter(
        (name) => name.startsWith(TRIAL_NAME) && !existsSync(`/proc/${name.slice(TRIAL_NAME.length)}`),
      );
      for (const name of abandoned) await this.drop(name);
    }
  }

  private async heldBy(hierarchy: Hierarchy, name: string): Promise<LimitKind[]> {
    const group = join(this.folder(hierarchy), name);
    const held = await Promise.all(hierarchy.kinds.map((kind) => wasHeld(kind, hierarchy.version, group)));
    return hierarchy.kinds.filter((_, index) => held[index]);
  }

  /**
   * Makes the group `name` with its limits.
   * @returns prefix of a command that runs in it from its first instruction on, so that no crash leaves a process outside;
   * what this host refuses to limit is left unlimited
   */
  async command(name: string, limits: Limits): Promise<string[]> {
    const members = await Promise.all(
      (await this.hierarchies()).map((hierarchy) => this.enter(hierarchy, name, limits)),
    );
    const files = members.flatMap((member) => member ?? []);
    if (files.length === 0) return [];
    const join =
      'n=$0; while [ "$n" -gt 0 ]; do { echo $$ > "$1"; } 2> /dev/null; shift; n=$((n - 1)); done; exec "$@"';
    return ['sh', '-c', join, String(files.length), ...files];
  }

  /** Removes a group whose processes have ended, and the parent with the last group. */
  async drop(name: string): Promise<void> {
    for (const hierarchy of await this.hierarchies()) {
      const group = join(this.folder(hierarchy), name);
      // The kernel lets go of a group a moment after the last of its processes has ended.
      const isGone = await waitFor(() => removedGroup(group), { timeoutMs: EMPTIED_MS, everyMs: 20 });
      if (!isGone) throw new EngineError('ENGINE_ERROR', `${group} still holds processes.`);
      // Fails while other groups are in it.
      await turns.take(this.folder(hierarchy), () => rmdir(this.folder(hierarchy))).catch(() => {});
    }
  }

  /** Which version of cgroups can limit disk bandwidth here; version 1 misses writes that the kernel delays. */
  async diskVersion(): Promise<1 | 2 | null> {
    if (this.parent === null) return null;
    const unified = (await readFile(join(MOUNT, 'cgroup.controllers'), 'utf8').catch(() => '')).trim().split(/\s+/);
    if (unified.includes('io')) return (await isHierarchy(MOUNT, 2)) ? 2 : null;
    return (await isHierarchy(join(MOUNT, 'blkio'), 1)) ? 1 : null;
  }

  /**
   * Gives all groups together the weight of some processors, beside the processes that are in no group. A new parent weighs as much as
   * one such process, however many groups it has.
   */
  async weigh(cpuWeight: number): Promise<void> {
    const hierarchy = (await this.hierarchies()).find(({ kinds }) => kinds.includes('cpu'));
    if (!hierarchy) return;
    const parent = this.folder(hierarchy);
    const [file, value] = settingOf('cpu', hierarchy.version, { ...TRIAL, cpuWeight });
    try {
      await turns.take(parent, () => mkdir(parent, { recursive: true }));
      if (hierarchy.version === 2) await writeFile(join(hierarchy.root, 'cgroup.subtree_control'), '+cpu');
      await writeFile(join(parent, file), String(value));
    } catch {
      // Services that share less evenly are better than none.
    }
  }

  /** Removes the parent with the last group, also where only a container runtime makes groups. */
  async dropParent(): Promise<void> {
    if (this.parent === null) return;
    for (const name of ['.', ...(await namesIn(MOUNT))]) await rmdir(join(MOUNT, name, this.parent)).catch(() => {});
  }

  /** Where the kernel counts the processes of a group that it has ended for their memory; null where it does not. */
  async oomFile(name: string): Promise<string | null> {
    const found = (await this.hierarchies()).find(({ kinds }) => kinds.includes('memory'));
    if (!found) return null;
    return join(this.folder(found), name, found.version === 2 ? 'memory.events' : 'memory.oom_control');
  }

  /** Names of the groups that exist. */
  async names(): Promise<string[]> {
    const found = await Promise.all((await this.hierarchies()).map((hierarchy) => namesIn(this.folder(hierarchy))));
    return [...new Set(found.flat().filter((name) => name.includes('-')))];
  }

  /** Folders of the parent that exist, one a hierarchy. */
  async folders(): Promise<string[]> {
    const folders = (await this.hierarchies()).map((hierarchy) => this.folder(hierarchy));
    const found = await Promise.all(folders.map((folder) => canWrite(join(folder, 'cgroup.procs'))));
    return folders.filter((_, index) => found[index]);
  }

  private async hierarchies(): Promise<Hierarchy[]> {
    return this.parent === null ? [] : usableHierarchies();
  }

  private folder({ root }: Hierarchy): string {
    return join(root, this.parent ?? '');
  }

  private async enter(hierarchy: Hierarchy, name: string, limits: Limits): Promise<string | undefined> {
    const parent = this.folder(hierarchy);
    const group = join(parent, name);
    try {
      await turns.take(parent, () => mkdir(group, { recursive: true }));
      if (hierarchy.version === 2) {
        const enabled = hierarchy.kinds.map((kind) => `+${kind}`).join(' ');
        await writeFile(join(hierarchy.root, 'cgroup.subtree_control'), enabled);
        await writeFile(join(parent, 'cgroup.subtree_control'), enabled);
      }
      for (const kind of hierarchy.kinds) {
        const [file, value] = settingOf(kind, hierarchy.version, limits);
        await writeFile(join(group, file), String(value));
      }
      return join(group, 'cgroup.procs');
    } catch {
      // A process without limits is better than none.
      return undefined;
    }
  }
}

function settingOf(kind: LimitKind, version: 1 | 2, limits: Limits): [file: string, value: number] {
  switch (kind) {
    case 'cpu':
      return version === 2
        ? ['cpu.weight', Math.min(10_000, 100 * limits.cpuWeight)]
        : ['cpu.shares', 1024 * limits.cpuWeight];
    case 'memory':
      return [version === 2 ? 'memory.max' : 'memory.limit_in_bytes', limits.memoryBytes];
    case 'pids':
      return ['pids.max', limits.processes];
  }
}

/** Whether the trial met a limit, or for the processors, which it can't exceed, whether the kernel took the value. */
async function wasHeld(kind: LimitKind, version: 1 | 2, group: string): Promise<boolean> {
  const text = (file: string) => readFile(join(group, file), 'utf8').catch(() => '');
  switch (kind) {
    case 'cpu': {
      const [file, value] = settingOf(kind, version, TRIAL);
      return Number(await text(file)) === value;
    }
    case 'memory':
      return version === 2 ? /^max [1-9]/m.test(await text('memory.events')) : Number(await text('memory.failcnt')) > 0;
    case 'pids':
      return /^max [1-9]/m.test(await text('pids.events'));
  }
}

/** The hierarchies that this process may make groups in. */
async function usableHierarchies(): Promise<Hierarchy[]> {
  const unified = (await readFile(join(MOUNT, 'cgroup.controllers'), 'utf8').catch(() => '')).trim().split(/\s+/);
  const found: Hierarchy[] = [
    { version: 2, root: MOUNT, kinds: KINDS.filter((kind) => unified.includes(kind)) },
    ...KINDS.filter((kind) => !unified.includes(kind)).map(
      (kind): Hierarchy => ({ version: 1, root: join(MOUNT, kind), kinds: [kind] }),
    ),
  ];
  const usable = await Promise.all(
    found.map(async ({ version, root, kinds }) => kinds.length > 0 && isHierarchy(root, version)),
  );
  return found.filter((_, index) => usable[index]);
}

async function isHierarchy(root: string, version: 1 | 2): Promise<boolean> {
  const type = await statfs(root).then(
    (found) => found.type,
    () => 0,
  );
  return type === (version === 2 ? CGROUP_V2 : CGROUP_V1) && canWrite(join(root, 'cgroup.procs'));
}

const canWrite = (file: string) =>
  access(file, constants.W_OK).then(
    () => true,
    () => false,
  );

/** Whether the group does not exist, or no longer. @throws whatever keeps it but its processes */
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
