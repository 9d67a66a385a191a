import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { family } from './processor-time';

/** The CPU weight and quota of a cgroup, for cgroups v1 and v2. */
const LIMITS = ['cpu.shares', 'cpu.cfs_period_us', 'cpu.cfs_quota_us', 'cpu.weight', 'cpu.max'];

/**
 * Puts a process and its children into a group of their own beside that of another one, with the same weight and quota.
 * @returns a function that removes the group, once the process has ended
 */
export function besides(model: number, pid: number): () => void {
  for (const line of readFileSync(`/proc/${model}/cgroup`, 'utf8').trim().split('\n')) {
    const [, kinds = '', path = ''] = line.split(':');
    if (kinds !== '' && !kinds.split(',').includes('cpu')) continue;
    const theirs = join('/sys/fs/cgroup', kinds === '' ? '' : 'cpu', path);
    if (path === '/' || !LIMITS.some((name) => existsSync(join(theirs, name)))) continue;
    const own = join(dirname(theirs), `by-hand-${pid}`);
    mkdirSync(own);
    for (const name of LIMITS.filter((limit) => existsSync(join(theirs, limit))))
      writeFileSync(join(own, name), readFileSync(join(theirs, name), 'utf8').trim());
    for (const each of family(pid)) writeFileSync(join(own, 'cgroup.procs'), String(each));
    return () => rmdirSync(own);
  }
  throw new Error('the node has no group of its own for processor time');
}
