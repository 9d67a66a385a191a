/** The engines in the order of lists and cards. */
export const databaseEngines = ['postgres', 'mysql', 'valkey', 'mongodb', 'qdrant'] as const;
export type DatabaseEngine = (typeof databaseEngines)[number];

/** Whose server an engine runs. */
export const engineTitles: Record<DatabaseEngine, string> = {
  postgres: 'PostgreSQL',
  mysql: 'MariaDB',
  valkey: 'Valkey',
  mongodb: 'MongoDB',
  qdrant: 'Qdrant',
};

const WITH_UPGRADES: readonly DatabaseEngine[] = ['postgres', 'mysql', 'valkey', 'qdrant'];
/** Whether clusters of an engine can be upgraded. */
export const hasUpgrades = (engine: DatabaseEngine): boolean => WITH_UPGRADES.includes(engine);

/** Why clusters of an engine cannot be upgraded; null where they can. */
export const whyNoUpgrades = (engine: DatabaseEngine): string | null =>
  hasUpgrades(engine)
    ? null
    : `This release has a single version of ${engineTitles[engine]}: there is nothing to upgrade to.`;

const WITH_BACKUPS: readonly DatabaseEngine[] = ['postgres', 'mysql', 'valkey', 'mongodb', 'qdrant'];
/** Whether clusters of an engine are backed up. */
export const hasBackups = (engine: DatabaseEngine): boolean => WITH_BACKUPS.includes(engine);

/** The sizes of a cluster of each engine: how many members it may have, and how many it has by default. */
export const memberCounts: Record<DatabaseEngine, { allowed: readonly number[]; preset: number }> = {
  postgres: { allowed: [1, 2, 3, 4, 5], preset: 2 },
  // Galera needs a majority.
  mysql: { allowed: [1, 3, 5], preset: 3 },
  valkey: { allowed: [1, 2, 3, 4, 5], preset: 2 },
  // A replica set of one: its program knows no others.
  mongodb: { allowed: [1], preset: 1 },
  qdrant: { allowed: [1], preset: 1 },
};
