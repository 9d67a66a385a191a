import { startClusterUpgrades } from './cluster-upgrades';
import { valkeyWriter } from './upgrade-writers';

/** A cluster `cache` of Valkey 8.0 in a world of its own, its upgrades, and a client that writes to it. */
export const startValkeyUpgrades = () =>
  startClusterUpgrades('valkey', valkeyWriter, { name: 'cache', version: '8.0' });
