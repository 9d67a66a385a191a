import { startClusterUpgrades } from './cluster-upgrades';
import { connectQdrantWriter } from './qdrant-connection';
import { valkeyWriter } from './upgrade-writers';

/** A cluster `cache` of Valkey 8.0 in a world of its own, its upgrades, and a client that writes to it. */
export const startValkeyUpgrades = () =>
  startClusterUpgrades('valkey', valkeyWriter, { name: 'cache', version: '8.0' });

/** The same of Qdrant 0.8. */
export const startQdrantUpgrades = () =>
  startClusterUpgrades('qdrant', connectQdrantWriter, { name: 'cache', version: '0.8' });
