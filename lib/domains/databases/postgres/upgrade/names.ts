import { createHash } from 'node:crypto';

/** The schema that holds what an upgrade needs inside each database: gone when the upgrade and its way back are. */
export const OWN_SCHEMA = 'nephele_upgrade';

export type Direction = 'forward' | 'reverse';

/**
 * Publication, slot and subscription of one direction in one database have one name. A slot's name is unique in the
 * cluster, so that it depends on the database too; another job's leftovers never have it.
 */
export function replicationName(jobId: string, direction: Direction, database: string): string {
  const hash = createHash('sha256').update(`${jobId}\0${database}`).digest('hex').slice(0, 16);
  return `nephele_${direction}_${hash}`;
}

/** All names of a direction, whatever the job. */
export const NAMES_OF: Record<Direction, string> = {
  forward: 'nephele\\_forward\\_%',
  reverse: 'nephele\\_reverse\\_%',
};
