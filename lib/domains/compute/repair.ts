import type { InstanceFault, ObservedInstance } from './engine';
import { type InstanceStatus, type InstanceTask, type Power, settledStatus } from './transitions';

/** An instance as the database has it, while no operation is under way for it. */
export type KnownInstance = {
  id: string;
  status: InstanceStatus;
  /** Something that was to be done, and whose operation is no more. */
  task: InstanceTask | null;
  power: Power;
  generation: number;
  /** Its guest has run at some time, so that it has a disk. */
  launched: boolean;
};

/** What is to be done about an instance that is not what it should be. */
export type Repair =
  /** The row is put right; nothing is to be done to the machine. */
  | { kind: 'note'; status: InstanceStatus; reason: string | null }
  /** The machine is brought to what it should be, which may be something else now; `status` is what it is meanwhile. */
  | { kind: 'restore'; status?: InstanceStatus; power?: Power; reason: string | null; lost?: boolean };

/** How the last looks went, where one look is not enough to decide on. */
export type History = {
  /** Times of late that it was lost and brought back. */
  recoveries: number;
  /** Looks in a row at which it did not answer. */
  silences: number;
};

const MOST_RECOVERIES = 5;
const MOST_SILENCES = 6;

/**
 * Compares what an instance should be with what the engine sees; undefined where both agree.
 * A failed instance is left as it is until its owner acts, unless it turns out to be well.
 */
export function decideRepair(
  known: KnownInstance,
  seen: ObservedInstance | undefined,
  history: History,
  diskIsFull: boolean,
): Repair | undefined {
  const { status, power } = known;
  const failed = status === 'error';
  if (known.task !== null) return toError(`The operation in progress (${known.task}) was lost. Try it again.`);
  if (!seen || seen.generation === null) {
    if (failed || (!known.launched && power === 'stopped')) return undefined;
    return toError('The disk is no longer on the host. Rebuild or delete the instance.');
  }
  if (seen.fault !== null)
    return failed && !isWaitingForDisk(seen.fault, diskIsFull)
      ? undefined
      : onFault(known, seen.fault, history, diskIsFull);
  if (seen.power === power && seen.generation === known.generation) {
    return status === settledStatus[power] ? undefined : { kind: 'note', status: settledStatus[power], reason: null };
  }
  return failed ? undefined : { kind: 'restore', reason: null };
}

const toError = (reason: string): Repair => ({ kind: 'note', status: 'error', reason });
const isWaitingForDisk = (fault: InstanceFault, diskIsFull: boolean) => fault === 'disk_error' && !diskIsFull;

function onFault(
  { status, power }: KnownInstance,
  fault: InstanceFault,
  { recoveries, silences }: History,
  diskIsFull: boolean,
): Repair | undefined {
  switch (fault) {
    case 'guest_shutdown':
      if (power === 'stopped') return { kind: 'restore', reason: null };
      return { kind: 'restore', status: 'stopped', power: 'stopped', reason: 'The guest shut down.' };
    case 'crashed':
      if (power === 'stopped') return { kind: 'restore', reason: null };
      if (recoveries >= MOST_RECOVERIES) {
        return toError(
          `The instance crashed ${recoveries} times in a short time. Check its console log, then start it.`,
        );
      }
      return { kind: 'restore', status: 'rebooting', reason: 'Restarting after a crash.', lost: true };
    case 'disk_error':
      if (!diskIsFull) return { kind: 'restore', reason: 'The host has disk space again.' };
      if (status === 'error') return undefined;
      return toError(
        'A write failed because the host’s disk is full. The guest is halted and resumes when there is space.',
      );
    case 'unresponsive':
      if (silences < MOST_SILENCES) return undefined;
      return {
        kind: 'restore',
        status: 'rebooting',
        reason: 'Restarting: the instance stopped responding.',
        lost: true,
      };
  }
}
