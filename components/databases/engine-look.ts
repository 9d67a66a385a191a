import { type DatabaseEngine, hasBackups } from '@/lib/domains/databases/engines';

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
    label: 'MariaDB',
    mark: 'Ma',
    about: 'Relational, for MySQL clients. Galera: one member takes writes, the others serve reads.',
    availability: 'Another member takes over within seconds. No acknowledged write is lost.',
  },
  valkey: {
    label: 'Valkey',
    mark: 'Vk',
    about: 'Key-value store and cache, for Redis clients, with and without Sentinel.',
    availability: 'A standby takes over within a second. A crash can lose the writes of the last second.',
  },
  mongodb: {
    label: 'MongoDB',
    mark: 'Mo',
    about: 'Documents, for MongoDB drivers. Preview, single member.',
    availability: 'A replica set of one member, restarted automatically after a crash.',
  },
  qdrant: {
    label: 'Qdrant',
    mark: 'Qd',
    about: 'Vectors, for semantic search and retrieval. Access with an API key.',
    availability: 'One member, restarted automatically after a crash.',
  },
};

/** Why clusters of an engine have no backups, if so. */
export const whyNoBackups = (engine: DatabaseEngine): string | undefined =>
  hasBackups(engine) ? undefined : `This release has no backups of ${engineLooks[engine].label} clusters.`;

/** Engines as the options of a filter. */
export const engineOptions = Object.entries(engineLooks).map(([value, { label }]) => ({ value, label }));
