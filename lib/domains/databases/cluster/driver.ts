import type { ServiceSpec } from '@/lib/hosts/services/engine';
import type { Cluster, Member } from './clusters';

/** How a planned switch went: for how long new connections waited, in milliseconds. */
export type Switched = { pause_ms: number };

/** What the shared steps and the agent need of an engine. */
export type EngineDriver = {
  /** The desired state of a member's process. */
  memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec>;
  /**
   * Brings accounts, passwords and what the tenant owns to the primary: may be repeated.
   * @throws MemberError while the primary does not take statements
   */
  settleRoles(cluster: Cluster, primary: Member): Promise<void>;
  /** What is waited for until every member serves or follows and has everything; null when they do. */
  inStep(cluster: Cluster): Promise<string | null>;
  /** What of a change must come to the primary before its standbys. Null where nothing must. */
  primaryFirst: ((cluster: Cluster) => Promise<void>) | null;
  /** A planned switch of the primary. @throws Error with the reason for its owner; then nothing has changed */
  switchPrimary(clusterId: string): Promise<Switched>;
  /** A look of the agent at one cluster, with a memory of its own. Throws what it could not do: the next look follows. */
  newLook(): (cluster: Cluster) => Promise<void>;
  /** Keeps a last backup of a cluster that is being deleted, and says how that went. Null where the engine has no backups. */
  lastBackup: ((cluster: Cluster, primary: Member) => Promise<string>) | null;
  /** Ends the platform's connections to a member that is removed. */
  forget(member: Pick<Member, 'id'>): void;
  /** Ends all connections of this process. */
  forgetAll(): Promise<void>;
};
