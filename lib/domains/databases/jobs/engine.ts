import type { Cluster, Member } from '../cluster/clusters';
import type { Check } from './check';
import type { JobChange, JobRow } from './rows';

/** An upgrade with everything that its steps act on: the primaries of both versions. */
export type Work = { job: JobRow; cluster: Cluster; former: Member; next: Member };

/** `former` runs the version before the upgrade, whoever serves. */
export type SideName = 'former' | 'next';

/** The one way that clients come in. */
export type HeldEndpoint = {
  /** No client reaches a member any more: new connections wait, open ones end at a quiet moment or after a while. */
  hold(): Promise<void>;
  /**
   * Which side gets the connections that wait, and all later ones: the one of the version before, or the one after. Open ones
   * stay where the side that they lead to passes their requests on.
   */
  repoint(to: SideName, sessions?: 'end' | 'stay'): Promise<void>;
  release(): Promise<void>;
};

/** The pause, from the hold to the release, and the sessions that it ended in the middle of a transaction. */
export type Switched = { pauseMs: number; interrupted: number };

/** Called as each part of a switch is over, with the milliseconds since the hold. */
export type OnPart = (part: string, ms: number) => void;

/** Whether the former version still has everything that the serving one has, or will have within its lag. */
export type WayBack = { possible: true; lagBytes: number } | { possible: false; reason: string };

/** How far the new version is; `change` is written into the job's row. */
export type Copied = { isDone: boolean; waits_for?: string; change?: JobChange };

/**
 * The parts of an upgrade that differ from engine to engine. Each may be repeated after a crash at any point, and throws
 * `UpgradeTrouble` for what can never succeed.
 */
export type UpgradeEngine = {
  /** The check `compatibility`. */
  checkContents(cluster: Cluster, primary: Member, target: string): Promise<Check>;
  /** Prepares the running new primary for its standbys. @returns what to wait for; null when they can be started */
  settleNext(work: Work): Promise<string | null>;
  /** Keeps replication among the new members going. @returns what to wait for; null when all of them have all data */
  nextInStep(work: Work): Promise<string | null>;
  /** One step of bringing the data to the new version, until it is close behind. */
  replicate(work: Work): Promise<Copied>;
  /** Moves all clients to the new version. What fails before its end is taken back. */
  switchToNext(work: Work, endpoint: HeldEndpoint, onPart: OnPart): Promise<Switched>;
  /** Undoes a switch whose worker was killed in it, before clients were released on the new version. */
  takeBackSwitch(work: Work, endpoint: HeldEndpoint): Promise<void>;
  /** Has the former version follow the new one. */
  keepFormer(work: Work): Promise<void>;
  /** Whether the upgrade can be taken back after its completion. */
  wayBack(work: Work): Promise<WayBack>;
  /** Prepares the switch back. @returns whether the former version is close enough behind for it */
  prepareWayBack(work: Work): Promise<{ isNear: boolean }>;
  /** Moves all clients back, with everything that was written on the new version. */
  switchBack(work: Work, endpoint: HeldEndpoint): Promise<Switched>;
  /** Undoes a switch back whose worker was killed in it. */
  takeBackSwitchBack(work: Work, endpoint: HeldEndpoint): Promise<void>;
  /** Cleans up on the serving primary after an upgrade or its way back. */
  forget(cluster: Cluster, serving: Member): Promise<void>;
  /** Drops what this process remembers of a job. */
  ended(jobId: string): void;
};
