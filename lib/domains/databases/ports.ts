import type { DatabaseEngine } from './engines';

/** Ports of an engine, the same at its endpoint and at its members. */
export type EnginePorts = {
  serving: number;
  /** Of the endpoint: reads, balanced over the standbys. Null where there is no such port. */
  reading: number | null;
  /** Further ports at which the members of a cluster reach each other. */
  peers: readonly number[];
};

export const enginePorts: Record<DatabaseEngine, EnginePorts> = {
  postgres: { serving: 5432, reading: 5433, peers: [] },
  // Galera's group, and its two ways to bring a member up to date.
  mysql: { serving: 3306, reading: 3307, peers: [4444, 4567, 4568] },
  valkey: { serving: 6379, reading: 6380, peers: [] },
  mongodb: { serving: 27017, reading: null, peers: [] },
  qdrant: { serving: 6333, reading: null, peers: [] },
};
