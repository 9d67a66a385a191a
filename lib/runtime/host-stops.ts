import { runNode } from './run-node';

/** Something on this host that runs beside the platform's processes and stops with the platform. */
export type HostStop = { name: string; stop(env: Record<string, string>): Promise<void> };

/**
 * Stopped after the worker, which would restart it, and before the database. The supervisor calls these with its
 * children's database settings in `env`. Restarts of web or worker do not affect them.
 */
export const hostStops: readonly HostStop[] = [
  {
    name: 'guests',
    async stop(env) {
      await runNode(['--import', 'tsx', 'lib/runtime/power-down.ts'], { env });
    },
  },
];
