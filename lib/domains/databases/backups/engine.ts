import type { Readable } from 'node:stream';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import type { Cluster, Member } from '../cluster/clusters';

/** A service that takes or gives data, with the cell that it runs in. */
export type Place = { cell: string; id: string };

/** What a restore begins with. */
export type Source = {
  backup_id: string;
  source_id: string;
  group_no: number;
  /** Of PostgreSQL: where the log begins that it needs. */
  start_segment: string | null;
  at: string | null;
};

/** The data of a cluster as they come. A reader must not take a cut stream for a whole one: it ends with an error. */
export type Reading = {
  stream: Readable;
  /** Once everything was read. */
  done: Promise<{ start_segment: string | null }>;
  /** Ends the connection, whatever came of it. */
  end(): Promise<void>;
};

export type CheckedBackup = {
  id: string;
  version: string;
  storage_gb: number /** Of a member that held the data. */;
  ram_gb: number;
};

/** What the backups of one engine differ in: the rest is common to all. */
export type EngineBackups = {
  /** Begins to read all data, from the primary or a member that has as much. @throws Error while none can be read */
  read(cluster: Cluster, primary: Member): Promise<Reading>;
  /** What follows a complete backup. */
  afterwards(cluster: Cluster): Promise<void>;
  /** Whether the primary serves, as a last backup needs. */
  isServing(cluster: Cluster, primary: Member): Promise<boolean>;
  /** Sends a backup to a member that waits for it, if it does. @throws Error when the member did not take it */
  send(place: Place, source: Source): Promise<void>;
  /**
   * Goes on with a member that has its data, until these are the new cluster's own.
   * @returns what is waited for; null when it is done @throws MemberError while the member does not answer
   */
  recover(cluster: Cluster, primary: Member, source: Source): Promise<string | null>;
  /** The service that restores a backup as a check, without a network. It has the backup's id. */
  checkSpec(backup: CheckedBackup): ServiceSpec;
  /** Reads everything that was restored as a check. @returns what that was; null while the service does not answer */
  check(place: Place): Promise<string | null>;
};

/** A check of a backup: without a network and without anybody's limits, for as long as it takes. */
export const CHECK_LIMITS = { cpuMillis: 500, memoryMb: 512, processes: 200, openFiles: 4096 };
