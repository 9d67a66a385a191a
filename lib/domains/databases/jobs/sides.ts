import type { Since } from '../cluster/lasting';
import type { SideName, Work } from './engine';

/** The group of members that runs the version of a side. */
export const groupOf = ({ job }: Work, side: SideName): number => (side === 'next' ? job.next_group : job.former_group);

/** Since when members of each job have been away, as this process knows it. */
const memories = new Map<string, Since>();

/** What is remembered of a job. Forgotten with `forgetAway`. */
export function awayOf(jobId: string): Since {
  const since: Since = memories.get(jobId) ?? new Map();
  memories.set(jobId, since);
  return since;
}

export const forgetAway = (jobId: string): void => void memories.delete(jobId);
