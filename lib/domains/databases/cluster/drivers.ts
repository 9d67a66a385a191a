import type { DatabaseEngine } from '../engines';
import { mariadbDriver } from '../mariadb/driver';
import { mongodbDriver } from '../mongodb/driver';
import { postgresDriver } from '../postgres/driver';
import { qdrantDriver } from '../qdrant/driver';
import { valkeyDriver } from '../valkey/driver';
import type { Cluster } from './clusters';
import type { EngineDriver } from './driver';

const drivers: Partial<Record<DatabaseEngine, EngineDriver>> = {
  postgres: postgresDriver,
  mysql: mariadbDriver,
  valkey: valkeyDriver,
  mongodb: mongodbDriver,
  qdrant: qdrantDriver,
};

/** @throws Error for an engine of which no cluster can be created */
export function driverOf({ engine }: Pick<Cluster, 'engine'>): EngineDriver {
  const driver = drivers[engine];
  if (!driver) throw new Error(`this release has no driver for ${engine}`);
  return driver;
}

/** Ends all connections of this process to members. */
export async function forgetAll(): Promise<void> {
  await Promise.all(Object.values(drivers).map((driver) => driver.forgetAll()));
}

/** Ends the platform's connections to a member that is removed, whatever its engine. */
export function forget(member: { id: string }): void {
  for (const driver of Object.values(drivers)) driver.forget(member);
}
