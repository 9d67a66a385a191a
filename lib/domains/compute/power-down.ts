import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { removeRouters } from '@/lib/domains/network/topology';
import { engines } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import { stopServices } from '@/lib/hosts/services/keeper';
import { log } from '@/lib/log';
import { ownCell } from '@/lib/settings';
import { stopStrays } from './observer';
import { readSpec } from './spec';

/** How long a guest may take to answer its power button, when everybody waits for it. */
const GUEST_SECONDS = 20;

/**
 * Powers down all guests of this host, then its services, and takes its networking away, because the platform stops. What they should be
 * doing stays as it is, so that they boot with the next start. What no row knows is stopped, as the observer would.
 * @returns false where nothing was touched: a host that the database has never heard of has another database's machines
 */
export async function powerDown(services: readonly ServiceSource[]): Promise<boolean> {
  if (!(await queryOne(sql`SELECT FROM cells WHERE id = ${ownCell()}::text`))) return false;
  const machines = await engines().compute.observeInstances();
  await Promise.all(
    machines.map(({ id }) =>
      powerDownOne(id).catch((error) => log.warn({ err: error, instance: id }, 'a guest is still running')),
    ),
  );
  await stopStrays(machines.map(({ id }) => id));
  await stopServices(services);
  await removeRouters().catch((error) => {
    // Without the programs that make networks there are none.
    if (!(error instanceof EngineError && error.code === 'ENGINE_UNAVAILABLE')) throw error;
  });
  return true;
}

async function powerDownOne(id: string): Promise<void> {
  const spec = await readSpec(id);
  if (!spec) return;
  await engines().compute.ensureInstance({ ...spec, power: 'stopped', shutdownSeconds: GUEST_SECONDS });
  await execute(sql`
    UPDATE instances SET status = 'stopped', status_reason = 'The platform was stopped; it starts with it again.',
      updated_at = platform_now() WHERE id = ${id}::uuid AND status IN ('active', 'paused', 'rebooting')`);
}
