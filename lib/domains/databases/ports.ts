import type { DatabaseEngine } from './engines';

/** Ports of an engine, the same at its endpoint and at its members. */
export type EnginePorts = {
  serving: number;
  /** Of the endpoint: reads, balanced over the standbys. Null where there is no such port. */
  reading: number | null;
  /** Of the endpoint: what answers clients of Sentinel. Null where there is no such thing. */
  sentinel: number | null;
  /** Further ports at which the members of a cluster reach each other. */
  peers: readonly number[];
  /** Whether clients get straight to the primary, with nothing in between but during a switch (decision 155). */
  straight: boolean;
  /** Who speaks TLS to clients: the members, or the endpoint for members whose program cannot. */
  tls: 'members' | 'endpoint';
};

export const enginePorts: Record<DatabaseEngine, EnginePorts> = {
  postgres: { serving: 5432, reading: 5433, sentinel: null, peers: [], straight: true, tls: 'members' },
  // Galera's group, and its two ways to bring a member up to date.
  mysql: { serving: 3306, reading: 3307, sentinel: null, peers: [4444, 4567, 4568], straight: true, tls: 'members' },
  valkey: { serving: 6379, reading: 6380, sentinel: 26379, peers: [], straight: false, tls: 'endpoint' },
  mongodb: { serving: 27017, reading: null, sentinel: null, peers: [], straight: false, tls: 'members' },
  qdrant: { serving: 6333, reading: null, sentinel: null, peers: [], straight: false, tls: 'members' },
};
