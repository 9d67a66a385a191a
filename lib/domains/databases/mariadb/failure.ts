import { lasting, type Since } from '../cluster/lasting';
import { isServing, type Seen } from './state';

/** How long the primary may be so before it is replaced, in milliseconds. */
const SILENT_MS = 1_500;
const UNSEEN_MS = 5_000;

/** What the agent remembers about a primary between looks. */
export type Watched = { since: Since; served: Set<string> };

/** Remembers which members have been seen in the group: those that have not may only be about to start. */
export function noteServed({ served }: Watched, seen: readonly Seen[]): void {
  for (const one of seen) if (isServing(one)) served.add(one.member.id);
}

/** Why the primary must be replaced now; undefined while it need not. */
export function failureOf({ member, state }: Seen, { since, served }: Watched): string | undefined {
  const isKnown = served.has(member.id);
  const silent = lasting(since, 'primary silent', !state.isUp && state.failure === 'silent');
  const ended = lasting(since, 'primary ended', !state.isUp && state.failure !== 'silent');
  // The majority went on without it: it takes no statements.
  const parted = lasting(since, 'primary parted', state.isUp && !state.isInGroup);
  if (silent >= (isKnown ? SILENT_MS : UNSEEN_MS)) return 'it does not answer';
  if (ended > 0 && (isKnown || ended >= UNSEEN_MS)) return 'it ended';
  return parted > 0 ? 'it is cut off from the others' : undefined;
}
