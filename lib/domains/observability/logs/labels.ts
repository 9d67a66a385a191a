import { createHash } from 'node:crypto';
import type { LogService } from '@/lib/core/domains/logs';

/** What every line carries; `project` is added by the store. */
export type StreamLabels = {
  service: LogService;
  resource_id?: string;
  resource_name?: string;
  level: string;
  stream: string;
};

export type Labels = Readonly<Record<string, string>>;

/** The same text for the same labels. */
export const labelsKey = (labels: Labels): string => JSON.stringify(Object.entries(labels).toSorted(byName));

export const labelsHash = (labels: Labels): Buffer => createHash('sha256').update(labelsKey(labels)).digest();

/** By code units, as Go sorts. */
function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
