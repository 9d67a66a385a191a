import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engines } from '@/lib/engines/engines';
import { untilSettled } from '@/lib/engines/until-settled';
import { log } from '@/lib/log';
import { stopStrays } from './observer';
import { readSpec } from './spec';

/**
 * Powers down all guests of this host, because the platform stops. What they should be doing stays as it is, so that they
 * boot with the next start. What no row knows is stopped, as the observer would.
 */
export async function powerDownGuests(graceSeconds: number): Promise<void> {
  const machines = await engines().compute.observeInstances();
  await Promise.all(
    machines.map(({ id }) =>
      powerDownOne(id, graceSeconds).catch((error) =>
        log.warn({ err: error, instance: id }, 'a guest is still running'),
      ),
    ),
  );
  await stopStrays(machines.map(({ id }) => id));
}

async function powerDownOne(id: string, shutdownSeconds: number): Promise<void> {
  const spec = await readSpec(id);
  if (!spec) return;
  const off = { ...spec, power: 'stopped', shutdownSeconds } as const;
  await untilSettled(() => engines().compute.ensureInstance(off));
  await execute(sql`
    UPDATE instances SET status = 'stopped', status_reason = 'The platform was stopped; it starts with it again.',
      updated_at = platform_now() WHERE id = ${id}::uuid AND status IN ('active', 'paused', 'rebooting')`);
}
