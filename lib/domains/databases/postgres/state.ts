import type { Cluster, Member } from '../cluster/clusters';
import { type Failure, MemberError } from '../cluster/member-error';
import type { MemberNote } from '../cluster/notes';
import type { MemberStatus } from '../schema';
import { ask } from './connections';

/** Bytes of WAL since the beginning. */
export type Position = number;

export type Follower = { name: string; state: string; sync_state: string; flushed: Position | null };

/** A member as it answered just now. */
export type MemberState =
  | { isUp: false; failure: Failure }
  | { isUp: true; isPrimary: true; written: Position; synchronous: string; followers: Follower[] }
  | { isUp: true; isPrimary: false; received: Position; replayed: Position; isStreaming: boolean };

export type Seen = { member: Member; state: MemberState };

const bytes = (lsn: string) => `(pg_wal_lsn_diff(${lsn}, '0/0'))::float8`;

// A standby has received what is flushed; while it does not stream, what it has replayed is what it has.
const QUESTION = `SELECT pg_is_in_recovery() AS in_recovery,
  CASE WHEN pg_is_in_recovery() THEN NULL ELSE ${bytes('pg_current_wal_flush_lsn()')} END AS written,
  CASE WHEN pg_is_in_recovery() THEN coalesce(${bytes('pg_last_wal_receive_lsn()')}, 0) END AS received,
  CASE WHEN pg_is_in_recovery() THEN coalesce(${bytes('pg_last_wal_replay_lsn()')}, 0) END AS replayed,
  EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming') AS streaming,
  current_setting('synchronous_standby_names') AS synchronous,
  (SELECT coalesce(json_agg(json_build_object('name', application_name, 'state', state, 'sync_state', sync_state,
    'flushed', ${bytes('flush_lsn')})), '[]') FROM pg_stat_replication) AS followers`;

type Answer = {
  in_recovery: boolean;
  written: number | null;
  received: number | null;
  replayed: number | null;
  streaming: boolean;
  synchronous: string;
  followers: Follower[];
};

/** Asks a member what it is. A member that does not answer within `timeoutMs` is silent. */
export async function stateOf(cluster: Cluster, member: Member, timeoutMs = 700): Promise<MemberState> {
  try {
    const [row] = await ask<Answer>(cluster, member, QUESTION, { timeoutMs });
    if (!row) return { isUp: false, failure: 'refused' };
    if (!row.in_recovery) {
      const { written, synchronous, followers } = row;
      return { isUp: true, isPrimary: true, written: written ?? 0, synchronous, followers };
    }
    const [received, replayed] = [row.received ?? 0, row.replayed ?? 0];
    return {
      isUp: true,
      isPrimary: false,
      received: Math.max(received, replayed),
      replayed,
      isStreaming: row.streaming,
    };
  } catch (error) {
    if (error instanceof MemberError) return { isUp: false, failure: error.failure };
    throw error;
  }
}

export const statesOf = (cluster: Cluster, members: readonly Member[], timeoutMs?: number): Promise<Seen[]> =>
  Promise.all(members.map(async (member) => ({ member, state: await stateOf(cluster, member, timeoutMs) })));

export const isServing = ({ state }: Seen): boolean => state.isUp && state.isPrimary;

/** The note for a member. @param primary of its version, against which the lag is measured */
export function noteOf({ member, state }: Seen, primary: Seen | undefined): MemberNote {
  const note = (status: MemberStatus, reason: string | null = null, lag: number | null = null) => ({
    id: member.id,
    status,
    reason,
    lag,
  });
  if (!state.isUp) {
    if (state.failure === 'silent') return note('failed', 'It does not answer.');
    return state.failure === 'starting'
      ? note('starting')
      : note('stopped', 'It is being started, or copies the data of the primary.');
  }
  if (state.isPrimary) return note('running', null, null);
  const written = primary?.state.isUp && primary.state.isPrimary ? primary.state.written : null;
  const lag = written === null ? null : Math.max(0, written - state.received);
  return note(state.isStreaming && member.in_sync ? 'running' : 'catching_up', null, lag);
}
