import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { untilSettled } from '@/lib/engines/until-settled';
import { log } from '@/lib/log';
import { stopStrays } from './observer';
import { readSpec } from './spec';

/**
 * Powers down all guests of a cell, because the platform stops. Their desired state stays, so that they boot with the next
 * start. Machines without a row are stopped too.
 */
export async function powerDownGuests(cell: string, graceSeconds: number): Promise<void> {
  const machines = await engineOf(cell).compute.observeInstances();
  await Promise.all(
    machines.map(({ id }) =>
      powerDownOne(cell, id, graceSeconds).catch((error) =>
        log.warn({ err: error, instance: id }, 'a guest is still running'),
      ),
    ),
  );
  await stopStrays(
    cell,
    machines.map(({ id }) => id),
  );
}

async function powerDownOne(cell: string, id: string, shutdownSeconds: number): Promise<void> {
  const spec = await readSpec(id);
  if (!spec) return;
  const off = { ...spec, power: 'stopped', shutdownSeconds } as const;
  await untilSettled(() => engineOf(cell).compute.ensureInstance(off));
  await execute(sql`
    UPDATE instances SET status = 'stopped', status_reason = 'The platform was stopped; it starts with it again.',
      updated_at = platform_now() WHERE id = ${id}::uuid AND cell_id = ${cell}::text AND status IN ('active', 'paused', 'rebooting')`);
}
