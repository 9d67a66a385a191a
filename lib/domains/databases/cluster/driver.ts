import type { ServiceSpec } from '@/lib/hosts/services/engine';
import type { EngineBackups } from '../backups/engine';
import type { UpgradeEngine } from '../jobs/engine';
import type { Cluster, Member } from './clusters';

/** How a planned switch went: for how long new connections waited, in milliseconds. */
export type Switched = { pause_ms: number };

/** The functions of an engine that the shared steps and the agent call. */
export type EngineDriver = {
  /** The desired state of a member's process. */
  memberSpec(cluster: Cluster, member: Member): Promise<ServiceSpec>;
  /**
   * Applies accounts, passwords and ownership to the primary. Idempotent.
   * @throws MemberError while the primary does not take statements
   */
  settleRoles(cluster: Cluster, primary: Member): Promise<void>;
  /** What the caller still has to wait for before all members are in sync; null once they are. */
  inStep(cluster: Cluster): Promise<string | null>;
  /** What of a change must come to the primary before its standbys. Null where nothing must. */
  primaryFirst: ((cluster: Cluster) => Promise<void>) | null;
  /** A planned switch of the primary. @throws Error with the reason for its owner; then nothing has changed */
  switchPrimary(clusterId: string): Promise<Switched>;
  /** A look of the agent at one cluster, with a memory of its own. Throws what it could not do: the next look follows. */
  newLook(): (cluster: Cluster) => Promise<void>;
  /** How its clusters are backed up and restored. Null where the engine has no backups. */
  backups: EngineBackups | null;
  /** How its clusters are upgraded. Null where they are not. */
  upgrades: UpgradeEngine | null;
  /** Ends the platform's connections to a member that is removed. */
  forget(member: Pick<Member, 'id'>): void;
  /** Ends all connections of this process. */
  forgetAll(): Promise<void>;
};
