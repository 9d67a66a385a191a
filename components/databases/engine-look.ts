import type { DatabaseEngine } from '@/lib/domains/databases/engines';

interface EngineLook {
  label: string;
  /** Two letters, for places without room for the name. */
  mark: string;
  about: string;
  /** What one cluster of several members promises. */
  availability: string;
}

export const engineLooks: Record<DatabaseEngine, EngineLook> = {
  postgres: {
    label: 'PostgreSQL',
    mark: 'Pg',
    about: 'Relational. Synchronous standby, restore to any moment of the last 7 days.',
    availability: 'A standby takes over within a second of a crash. No acknowledged write is lost.',
  },
  mysql: {
    label: 'MySQL',
    mark: 'My',
    about: 'Relational. MariaDB with Galera: every node takes writes.',
    availability: 'All nodes have every acknowledged write. The others continue when one fails.',
  },
  valkey: {
    label: 'Valkey',
    mark: 'Vk',
    about: 'Key-value store and cache, for Redis clients. Sentinel included.',
    availability: 'A replica takes over within a second. A crash can lose the writes of the last second.',
  },
  mongodb: {
    label: 'MongoDB',
    mark: 'Mo',
    about: 'Documents, for MongoDB drivers. A replica set.',
    availability: 'A replica set with an odd number of members elects a new primary.',
  },
  qdrant: {
    label: 'Qdrant',
    mark: 'Qd',
    about: 'Vectors, for semantic search and retrieval. Access with an API key.',
    availability: 'One member, restarted automatically after a crash.',
  },
};

/** Engines as the options of a filter. */
export const engineOptions = Object.entries(engineLooks).map(([value, { label }]) => ({ value, label }));
