import { runNode } from './run-node';

/** Something on this host that runs beside the platform's own processes, and ends with the platform. */
export type HostStop = { name: string; stop(env: Record<string, string>): Promise<void> };

/**
 * What is stopped after the worker, which would start it again, and before the database. The supervisor runs these, with
 * what its children get to know of the database in `env`. A restart of web or worker touches none of it.
 */
export const hostStops: readonly HostStop[] = [
  {
    name: 'guests',
    async stop(env) {
      await runNode(['--import', 'tsx', 'lib/runtime/power-down.ts'], { env });
    },
  },
];
