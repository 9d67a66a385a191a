import type { Settings } from '@/lib/settings';

/** Something on this host that runs beside the platform's own processes, and ends with the platform. */
export type HostStop = { name: string; stop(settings: Settings): Promise<void> };

/**
 * What is stopped after the worker, which would start it again, and before the database. The supervisor runs these:
 * import lazily what they need. A restart of web or worker touches none of it.
 */
export const hostStops: readonly HostStop[] = [];
